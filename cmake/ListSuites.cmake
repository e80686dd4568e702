# Read by ctest, not by cmake: makes an entry of each suite that `program` lists, named `prefix` and the suite. Those that
# begin with Gpu have the label gpu, and where there is no GPU they say so and count as skipped. tests/suites holds this.

if(NOT EXISTS "${program}")
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
else()
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status)
  # Suites begin a line, their tests are indented; after the point there may be a comment.
  string(REGEX MATCHALL "\n[^ \n.]+\\." suites "\n${listed}")
  if(NOT status EQUAL 0 OR NOT suites)
    add_test(${prefix}suites_are_listed sh -c "echo \"$0 --gtest_list_tests: exit code $1, and no suites\"; exit 1"
      "${program}" "${status}")
  endif()
  foreach(suite IN LISTS suites)
    string(REGEX REPLACE "[\n.]" "" suite "${suite}")
    add_test(${prefix}${suite} "${program}" "--gtest_filter=${suite}.*" --skipped=77)
    set_tests_properties(${prefix}${suite} PROPERTIES LABELS unit TIMEOUT 300 COST ${cost} SKIP_RETURN_CODE 77)
    if(suite MATCHES "^Gpu")
      set_tests_properties(${prefix}${suite} PROPERTIES LABELS gpu RESOURCE_LOCK gpu)
    endif()
  endforeach()
endif()
