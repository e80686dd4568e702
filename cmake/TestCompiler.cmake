# assay_compile_as_test(<target>)
#
# Tests are half of what a build from nothing takes, and most are not optimised: for those clang needs five eighths of
# g++'s time (and half of its memory), so where it is installed a release build compiles them, and nothing else, by it. Both
# keep to one ABI and one standard library. What is optimised takes either as long, and stays with g++. Every other preset
# compiles tests as it does the layers. -DASSAY_TEST_COMPILER=OFF leaves clang out.
#
# What clang compiles, it reads tests/suites/precompiled.hpp for only once, with what that makes of templates already made:
# two fifths less of its time. -DASSAY_PRECOMPILE_TESTS=OFF leaves that out.

include_guard(GLOBAL)

set(ASSAY_TESTS_BY_CLANG OFF)
if(ASSAY_BUILD_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
   AND NOT ASSAY_SANITIZE AND NOT ASSAY_COVERAGE)
  find_program(ASSAY_TEST_COMPILER clang++-19)
  if(ASSAY_TEST_COMPILER)
    set(ASSAY_TESTS_BY_CLANG ON)
    assay_record_dependency("Tests' compiler" ${ASSAY_TEST_COMPILER})
  endif()
endif()
option(ASSAY_PRECOMPILE_TESTS "Precompile what the tests include, where clang compiles them" ON)

# Has clang compile `target` as a test, with nothing optimised.
function(assay_compile_by_test_compiler target)
  # CMake knows one compiler a language; what it calls is told as $0, and another one is called with the same arguments. Not
  # every machine has ccache.
  set(compiler ${ASSAY_TEST_COMPILER})
  set(environment "")
  if(ASSAY_CCACHE)
    set(compiler "${ASSAY_CCACHE} ${ASSAY_TEST_COMPILER}")
    # ccache passes a precompiled header over, unless it may trust that nothing in it depends on the time or on what is
    # defined later: ours is of third parties, and all tests define the same before it.
    set(environment ${ASSAY_CCACHE_COMMAND} CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
  set(launcher ${environment} sh -c "exec ${compiler} \"\$@\"")
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  # The warnings of both compilers are asked for; each passes over what it does not know.
  target_compile_options(${target} PRIVATE -Wno-unknown-warning-option -Wno-unused-command-line-argument)
endfunction()

# CMake makes precompiled headers for the one compiler that it knows. To clang, one is what it compiles a header to.
if(ASSAY_TESTS_BY_CLANG AND ASSAY_PRECOMPILE_TESTS)
  set(header ${PROJECT_SOURCE_DIR}/tests/suites/precompiled.hpp)
  add_library(assay_precompiled_tests OBJECT ${header})
  set_source_files_properties(${header} PROPERTIES LANGUAGE CXX SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(assay_precompiled_tests PRIVATE assay_settings assay_warnings GTest::gmock rapidcheck assay_fmt
    nlohmann_json::nlohmann_json tl::expected)
  target_compile_options(assay_precompiled_tests PRIVATE -O0 -U_FORTIFY_SOURCE -x c++-header -fpch-instantiate-templates
    -Wno-pragma-once-outside-header -Xclang -fno-pch-timestamp)
  assay_compile_by_test_compiler(assay_precompiled_tests)
  # An object waits for what a custom target makes of those that its own target depends on, not for their objects.
  set(ASSAY_PRECOMPILED_TESTS ${PROJECT_BINARY_DIR}/tests.pch)
  add_custom_command(OUTPUT ${ASSAY_PRECOMPILED_TESTS}
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:assay_precompiled_tests> ${ASSAY_PRECOMPILED_TESTS}
    DEPENDS assay_precompiled_tests $<TARGET_OBJECTS:assay_precompiled_tests> VERBATIM)
  add_custom_target(assay_precompiled_tests_are_made DEPENDS ${ASSAY_PRECOMPILED_TESTS})
endif()

function(assay_compile_as_test target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0> $<$<CONFIG:Release>:-U_FORTIFY_SOURCE>)
  if(NOT ASSAY_TESTS_BY_CLANG)
    return()
  endif()
  assay_compile_by_test_compiler(${target})
  if(TARGET assay_precompiled_tests)
    add_dependencies(${target} assay_precompiled_tests_are_made)
    # What was defined for the header has to be defined for who uses it.
    target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:GTest::gmock,INTERFACE_COMPILE_OPTIONS>
      "SHELL:-include-pch ${ASSAY_PRECOMPILED_TESTS}" "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()
