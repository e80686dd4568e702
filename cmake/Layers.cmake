# assay_add_layer(<name> [OPTIMISE_TESTS] DEPENDS <layer>... [LINK <third party>...] SOURCES <file>...
#                 HEADERS <file>... [TESTS <file>...] [OPTIMISED_FOR_TESTS <file>...] [TEST_LINK <third party>...])
#
# OPTIMISE_TESTS: its tests compute so much that they are optimised a little, rather than not at all.
# OPTIMISED_FOR_TESTS: what only tests use and does most of their computing; so only it is optimised.
#
# Makes the static library assay_<name> (alias assay::<name>), checks that each header compiles on its own, builds
# the GoogleTest binary assay_<name>_test from TESTS, and records the edge in layers.json, which
# tools/check_layers.py holds every #include against. DEPENDS is the truth; linking follows from it.

include_guard(GLOBAL)
include(Suites)
set_property(GLOBAL PROPERTY ASSAY_LAYER_EDGES "")
set(ASSAY_LAYERS_WITH_LONG_TESTS operators build)
# A release build optimises these a little only, which takes a quarter less of the compiler's time.
set(ASSAY_LAYERS_THAT_COMPUTE_LITTLE blob build evaluate os task)
# And these, which only the controller's side uses and which wait for judges, agents and files, no more than keeps their
# code small: a sixth less again (certify: 10.6 s of a processor for 12.6; not optimising it at all takes as long as -O1,
# and its code is four times the size).
set(ASSAY_LAYERS_THAT_WAIT agent archive certify cli control dataset execute foreign mcp plot promote report service skill)

function(assay_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "OPTIMISE_TESTS" "" "DEPENDS;LINK;SOURCES;HEADERS;TESTS;OPTIMISED_FOR_TESTS;TEST_LINK")
  if(layer_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_add_layer(${name}): unknown argument ${layer_UNPARSED_ARGUMENTS}")
  endif()
  if(name STREQUAL "operators" AND CMAKE_UNITY_BUILD)  # Its folders have the same names for their own things: they clash.
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
  endif()
  add_library(assay_${name} STATIC)
  add_library(assay::${name} ALIAS assay_${name})
  target_sources(assay_${name} PRIVATE ${layer_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${layer_HEADERS})
  set_target_properties(assay_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON LINKER_LANGUAGE CXX)
  target_link_libraries(assay_${name} PUBLIC assay_settings ${layer_LINK} PRIVATE assay_warnings)
  if(name IN_LIST ASSAY_LAYERS_THAT_COMPUTE_LITTLE)
    target_compile_options(assay_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  elseif(name IN_LIST ASSAY_LAYERS_THAT_WAIT)
    target_compile_options(assay_${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  endif()
  set(dependencies_json "")
  set(closure ${name})
  foreach(dependency IN LISTS layer_DEPENDS)
    get_property(below GLOBAL PROPERTY ASSAY_CLOSURE_${dependency})
    list(APPEND closure ${below})
    target_link_libraries(assay_${name} PUBLIC assay_${dependency})
    list(APPEND dependencies_json "\"${dependency}\"")
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY ASSAY_CLOSURE_${name} "${closure}")
  list(JOIN dependencies_json ", " dependencies_json)
  set_property(GLOBAL APPEND PROPERTY ASSAY_LAYER_EDGES "  \"${name}\": [${dependencies_json}]")

  if(ASSAY_BUILD_TESTS AND layer_TESTS)
    add_executable(assay_${name}_test ${layer_TESTS})
    target_link_libraries(assay_${name}_test PRIVATE assay_${name} ${layer_TEST_LINK} assay_warnings
      rapidcheck assay_test_main)
    # What GoogleTest, rapidcheck and JSON make of the same types is made once a unit: the more tests a unit has, the better.
    if(NOT name STREQUAL "operators")
      set_target_properties(assay_${name}_test PROPERTIES UNITY_BUILD_BATCH_SIZE 64)
    endif()
    # GoogleTest, rapidcheck and JSON are slow to optimise, and few tests compute enough to gain from it.
    if(layer_OPTIMISE_TESTS)
      target_compile_options(assay_${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
    else()
      assay_compile_as_test(assay_${name}_test)
      if(ASSAY_SANITIZE)  # Nearly halves what compiling them takes.
        target_compile_options(assay_${name}_test PRIVATE -O0)
      endif()
    endif()
    if(layer_OPTIMISED_FOR_TESTS)
      add_library(assay_${name}_for_test OBJECT ${layer_OPTIMISED_FOR_TESTS})
      target_link_libraries(assay_${name}_for_test PRIVATE assay_${name} ${layer_TEST_LINK} assay_warnings)
      target_compile_options(assay_${name}_for_test PRIVATE $<$<CONFIG:Release>:-O1>)
      target_link_libraries(assay_${name}_test PRIVATE assay_${name}_for_test)
    endif()
    assay_prefer_optimised(assay_${name}_test ${closure})
    target_compile_definitions(assay_${name}_test PRIVATE
      ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ASSAY_BINARY_DIR="${PROJECT_BINARY_DIR}")
    # ctest starts what costs more first: so that what is left at the end is quick, and no core idles. Measured: where a
    # case takes over a second.
    set(cost 0)
    if(name IN_LIST ASSAY_LAYERS_WITH_LONG_TESTS)
      set(cost 10)
    endif()
    assay_add_suites(assay_${name}_test ${name} COST ${cost})
  endif()
endfunction()

# assay_prefer_optimised(<program> <layer>...)
#
# Of what tests and layers make of the same templates (JSON's parser, say) a linker keeps the one that it sees first: that
# of the tests, which is not optimised, and which the layers would then call too. So it sees the layers first.
function(assay_prefer_optimised program)
  foreach(layer IN LISTS ARGN)
    list(APPEND archives $<TARGET_FILE:assay_${layer}>)
  endforeach()
  list(JOIN archives "," joined)
  target_link_options(${program} PRIVATE "LINKER:--whole-archive,${joined},--no-whole-archive")
endfunction()

function(assay_write_layer_graph)
  get_property(edges GLOBAL PROPERTY ASSAY_LAYER_EDGES)
  list(JOIN edges ",\n" edges)
  file(WRITE ${PROJECT_BINARY_DIR}/layers.json "{\n${edges}\n}\n")
  if(ASSAY_BUILD_TESTS)
    add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.py
      ${PROJECT_BINARY_DIR}/layers.json ${PROJECT_SOURCE_DIR}/src/assay)
    set_tests_properties(layers PROPERTIES LABELS unit)
  endif()
endfunction()
