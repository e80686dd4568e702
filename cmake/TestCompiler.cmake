# assay_compile_as_test(<target>)
#
# Tests are half of what a build from nothing takes, and most are not optimised: for those clang needs five eighths of
# g++'s time (and half of its memory), so where it is installed a release build compiles them, and nothing else, by it. Both
# keep to one ABI and one standard library. What is optimised takes either as long, and stays with g++. Every other preset
# compiles tests as it does the layers. -DASSAY_TEST_COMPILER=OFF leaves clang out.

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

function(assay_compile_as_test target)
  if(NOT ASSAY_TESTS_BY_CLANG)
    return()
  endif()
  # CMake knows one compiler a language; what it calls is told as $0, and another one is called with the same arguments. Not
  # every machine has ccache.
  set(compiler ${ASSAY_TEST_COMPILER})
  if(ASSAY_CCACHE)
    set(compiler "${ASSAY_CCACHE} ${ASSAY_TEST_COMPILER}")
  endif()
  set(launcher ${ASSAY_CCACHE_COMMAND} sh -c "exec ${compiler} \"\$@\"")
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  # The warnings of both compilers are asked for; each passes over what it does not know.
  target_compile_options(${target} PRIVATE -Wno-unknown-warning-option -Wno-unused-command-line-argument)
endfunction()
