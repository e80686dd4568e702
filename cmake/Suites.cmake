# assay_add_suites(<target> <prefix> [COST <n>])
#
# Makes each suite of a GoogleTest program an entry of ctest, <prefix>.<suite>. A process a test would cost as much as all
# that the quick ones do. What a suite holds, ctest asks the program itself each time (cmake/ListSuites.cmake), so none is
# missing and none is out of date. The program's main function is tests/suites/test_main.cpp: its exit code tells a
# skipped test from a failed one.

include_guard(GLOBAL)
include(TestCompiler)

if(ASSAY_BUILD_TESTS)
  add_library(assay_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/suites/test_main.cpp)
  target_link_libraries(assay_test_main PUBLIC GTest::gmock PRIVATE assay_settings assay_warnings)
  assay_compile_as_test(assay_test_main)
endif()

function(assay_add_suites target prefix)
  cmake_parse_arguments(PARSE_ARGV 2 suites "" "COST" "")
  if(NOT suites_COST)
    set(suites_COST 0)
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  file(GENERATE OUTPUT ${script} CONTENT "# Written by cmake/Suites.cmake; read by ctest.
set(program [==[$<TARGET_FILE:${target}>]==])
set(target ${target})
set(prefix ${prefix}.)
set(cost ${suites_COST})
include([==[${PROJECT_SOURCE_DIR}/cmake/ListSuites.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
