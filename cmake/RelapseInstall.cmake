# What a user's project needs after `cmake --install`: the two programs, the CMake package, the documents.
include(CMakePackageConfigHelpers)
set(RELAPSE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/relapse")
install(TARGETS relapse RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(RELAPSE_BUILD_WORKER)
  # The worker keeps the way to the LibTorch that it was built with: it works with no other.
  set_target_properties(relapse-worker PROPERTIES INSTALL_RPATH "${RELAPSE_TORCH_DIR}/lib")
  install(TARGETS relapse-worker RUNTIME DESTINATION "libexec/relapse")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/ci/relapseConfig.cmake.in" "${PROJECT_BINARY_DIR}/relapseConfig.cmake"
                              INSTALL_DESTINATION "${RELAPSE_PACKAGE_DIR}" PATH_VARS CMAKE_INSTALL_FULL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/relapseConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/relapseConfig.cmake" "${PROJECT_BINARY_DIR}/relapseConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/ci/RelapseCases.cmake" "${PROJECT_SOURCE_DIR}/ci/RelapseDiscover.cmake.in"
        DESTINATION "${RELAPSE_PACKAGE_DIR}")
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
