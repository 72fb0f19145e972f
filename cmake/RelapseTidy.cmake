# The target `tidy`: clang-tidy over everything without LibTorch, one stamp a source, so that only what changed is checked again.
find_program(RELAPSE_CLANG_TIDY NAMES clang-tidy)
add_custom_target(tidy)
if(RELAPSE_CLANG_TIDY)
  file(GLOB_RECURSE _headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/harness/*.hpp")
  get_target_property(_sources relapse_core SOURCES)
  set(_stamps)
  set(_deep_stamps)
  set(_analyzer "-*,clang-analyzer-core.*,clang-analyzer-cplusplus.*,clang-analyzer-unix.*,-clang-analyzer-cplusplus.NewDeleteLeaks")
  foreach(_source IN LISTS _sources)
    # What is made while building is nobody's to mend.
    string(FIND "${_source}" "${PROJECT_BINARY_DIR}/" _made)
    if(_made EQUAL 0)
      continue()
    endif()
    file(RELATIVE_PATH _name "${PROJECT_SOURCE_DIR}" "${_source}")
    string(REPLACE "/" "_" _name "${_name}")
    set(_stamp "${PROJECT_BINARY_DIR}/tidy/${_name}.stamp")
    add_custom_command(
      OUTPUT "${_stamp}"
      COMMAND "${RELAPSE_CLANG_TIDY}" -p "${PROJECT_BINARY_DIR}" --quiet --warnings-as-errors=* "${_source}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${_stamp}"
      DEPENDS "${_source}" "${PROJECT_SOURCE_DIR}/.clang-tidy" ${_headers}
      COMMENT "clang-tidy ${_name}"
      VERBATIM)
    set(_deep_stamp "${PROJECT_BINARY_DIR}/tidy_deep/${_name}.stamp")
    add_custom_command(
      OUTPUT "${_deep_stamp}"
      COMMAND "${RELAPSE_CLANG_TIDY}" -p "${PROJECT_BINARY_DIR}" --quiet "--checks=${_analyzer}" --warnings-as-errors=* "${_source}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${_deep_stamp}"
      DEPENDS "${_source}" "${PROJECT_SOURCE_DIR}/.clang-tidy" ${_headers}
      COMMENT "static analyzer ${_name}"
      VERBATIM)
    list(APPEND _stamps "${_stamp}")
    list(APPEND _deep_stamps "${_deep_stamp}")
  endforeach()
  add_custom_target(tidy_core DEPENDS ${_stamps})
  add_dependencies(tidy tidy_core)
  # Not part of the tests: minutes.
  add_custom_target(tidy_deep DEPENDS ${_deep_stamps})
endif()
