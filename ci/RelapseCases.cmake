#[=======================================================================[.rst:
RelapseCases
------------

Incident cases as single ctest tests.

::

  relapse_discover_cases(
    CASES <folder>              # the cases folder
    [NAME <word>]               # tells several calls of one directory apart; default: the folder's name
    [PREFIX <text>]             # of test names; default "relapse."
    [DEVICES <kind>...]         # default: cpu
    [LABELS <label>...]         # added to the labels of each case
    [LIBRARIES <target>...]     # operator libraries that cases name, by the names of their targets
    [SERVER ON|OFF]             # share one warm server between the tests; default ON
    [DEVICE_PLUGIN <target>]    # a library that brings another kind of device
    [RUN_ARGUMENTS <word>...])  # more arguments of `relapse run`

Makes one test ``<PREFIX><id>@<device>`` for each case and device. Cases are found when ctest starts, not when CMake does, so a
new file is a new test without configuring again; LibTorch is not loaded for it. Each test has the case's labels and its device
as labels, a ``TIMEOUT`` above the runner's own, ``SKIP_RETURN_CODE 77``, and for devices other than the CPU
``RESOURCE_GROUPS``. When ``relapse`` or its worker was not built the tests fail; they are never missing.

A case names a library by its target, ``libraries: [my_ops]``, and gets the file that was built. The tests do not depend on the
target: build it first.

With ``SERVER ON`` a fixture starts ``relapse serve`` before the first test and ends it after the last, so that a test costs
milliseconds instead of a start of LibTorch.
#]=======================================================================]

include_guard(GLOBAL)

set(_relapse_cases_dir "${CMAKE_CURRENT_LIST_DIR}")

function(relapse_discover_cases)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CASES;NAME;PREFIX;SERVER;DEVICE_PLUGIN" "DEVICES;LABELS;LIBRARIES;RUN_ARGUMENTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "relapse_discover_cases: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_CASES)
    message(FATAL_ERROR "relapse_discover_cases: CASES <folder> is needed")
  endif()
  if(NOT TARGET relapse::relapse)
    message(FATAL_ERROR "relapse_discover_cases: there is no target relapse::relapse; find_package(relapse) or add_subdirectory comes first")
  endif()
  get_filename_component(cases "${arg_CASES}" ABSOLUTE)
  if(NOT IS_DIRECTORY "${cases}")
    message(FATAL_ERROR "relapse_discover_cases: CASES ${cases} is no folder")
  endif()
  if(NOT arg_NAME)
    get_filename_component(arg_NAME "${cases}" NAME)
  endif()
  if(NOT DEFINED arg_PREFIX)
    set(arg_PREFIX "relapse.")
  endif()
  if(NOT arg_DEVICES)
    set(arg_DEVICES cpu)
  endif()
  if(NOT DEFINED arg_SERVER)
    set(arg_SERVER ON)
  endif()

  set(stem "${CMAKE_CURRENT_BINARY_DIR}/relapse_${arg_NAME}")
  set(journals "${CMAKE_CURRENT_BINARY_DIR}/.relapse/runs")
  set(fixture "")
  if(arg_SERVER)
    set(fixture "relapse_server_${arg_NAME}")
    add_test(NAME "${arg_PREFIX}serve.${arg_NAME}" COMMAND relapse::relapse serve)
    add_test(NAME "${arg_PREFIX}serve-stop.${arg_NAME}" COMMAND relapse::relapse serve --stop)
    set_tests_properties("${arg_PREFIX}serve.${arg_NAME}" PROPERTIES FIXTURES_SETUP "${fixture}" TIMEOUT 120)
    set_tests_properties("${arg_PREFIX}serve-stop.${arg_NAME}" PROPERTIES FIXTURES_CLEANUP "${fixture}" TIMEOUT 60)
  endif()
  string(REPLACE ";" "," devices "${arg_DEVICES}")
  string(REPLACE ";" "," labels "${arg_LABELS}")
  set(server auto)
  if(NOT arg_SERVER)
    set(server none)
  endif()
  foreach(library IN LISTS arg_LIBRARIES)
    if(NOT TARGET "${library}")
      message(FATAL_ERROR "relapse_discover_cases: LIBRARIES ${library} is no target")
    endif()
    list(APPEND arg_RUN_ARGUMENTS --library "${library}=$<TARGET_FILE:${library}>")
  endforeach()
  if(arg_DEVICE_PLUGIN)
    if(NOT TARGET ${arg_DEVICE_PLUGIN})
      message(FATAL_ERROR "relapse_discover_cases: DEVICE_PLUGIN ${arg_DEVICE_PLUGIN} is no target")
    endif()
    list(APPEND arg_RUN_ARGUMENTS --device-plugin "$<TARGET_FILE:${arg_DEVICE_PLUGIN}>")
  endif()
  string(REPLACE ";" "," more "${arg_RUN_ARGUMENTS}")

  # The program's place is known when the build system is generated; the script itself runs inside ctest.
  set(relapse_program "$<TARGET_FILE:relapse::relapse>")
  set(relapse_stem "${stem}")
  set(relapse_cases "${cases}")
  set(relapse_journals "${journals}")
  set(relapse_prefix "${arg_PREFIX}")
  set(relapse_name "${arg_NAME}")
  set(relapse_fixture "${fixture}")
  set(relapse_devices "${devices}")
  set(relapse_labels "${labels}")
  set(relapse_server "${server}")
  set(relapse_more "${more}")
  configure_file("${_relapse_cases_dir}/RelapseDiscover.cmake.in" "${stem}_discover.cmake.in" @ONLY)
  file(GENERATE OUTPUT "${stem}_discover.cmake" INPUT "${stem}_discover.cmake.in")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${stem}_discover.cmake")
endfunction()
