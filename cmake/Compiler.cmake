# Interface targets that every layer links: the language settings and the warning set.

add_library(assay_settings INTERFACE)
target_include_directories(assay_settings INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_features(assay_settings INTERFACE cxx_std_20)
target_compile_options(assay_settings INTERFACE -fno-omit-frame-pointer -ffunction-sections -fdata-sections)
target_link_options(assay_settings INTERFACE -Wl,--gc-sections)
# g++ collects garbage from 128 MB on, and finds little: up to a sixth of its time. It now does from 1 GB on.
target_compile_options(assay_settings INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)
if(ASSAY_SANITIZE)
  target_compile_options(assay_settings INTERFACE -fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=undefined)
  target_link_options(assay_settings INTERFACE -fsanitize=${ASSAY_SANITIZE})
else()
  target_compile_definitions(assay_settings INTERFACE $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
endif()
if(ASSAY_COVERAGE)
  target_compile_options(assay_settings INTERFACE --coverage)
  target_link_options(assay_settings INTERFACE --coverage)
endif()

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Wcast-align -Wformat=2
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
  $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
  # g++ 12 reports these falsely inside libstdc++'s std::string and std::variant when inlining is on.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(ASSAY_SANITIZE)  # Not $<BOOL:…>: the list of sanitizers holds a comma.
  target_compile_options(assay_warnings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference>)
endif()
if(ASSAY_WERROR)
  target_compile_options(assay_warnings INTERFACE -Werror)
endif()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE)
  # What is not known yet is compiled without preprocessing it once more before: what it read, the compiler says.
  set(ASSAY_CCACHE_COMMAND ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASSAY_CCACHE_COMMAND} ${ASSAY_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${ASSAY_CCACHE_COMMAND} ${ASSAY_CCACHE})
endif()
