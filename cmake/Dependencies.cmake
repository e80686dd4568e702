# Third parties, all from deps/apt.txt and deps/pip.txt. Each appears in the summary that configure prints.

set_property(GLOBAL PROPERTY ASSAY_DEPENDENCIES "")
function(assay_record_dependency name version)
  set_property(GLOBAL APPEND PROPERTY ASSAY_DEPENDENCIES "${name} ${version}")
endfunction()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
assay_record_dependency(nlohmann_json ${nlohmann_json_VERSION})
find_package(tl-expected REQUIRED)
assay_record_dependency(tl-expected "${tl-expected_VERSION}")

# libcrypto only, and static: the judge must run on machines that have nothing installed.
set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
assay_record_dependency(OpenSSL ${OPENSSL_VERSION})

# Debian ships fmt only as a shared library; one translation unit makes it static.
find_package(fmt 9.1 REQUIRED)
assay_record_dependency(fmt ${fmt_VERSION})
add_library(assay_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_static.cpp)
target_include_directories(assay_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_options(assay_fmt PRIVATE -ffunction-sections -fdata-sections)

find_library(ASSAY_ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)
add_library(assay_zstd INTERFACE)
target_link_libraries(assay_zstd INTERFACE ${ASSAY_ZSTD_LIBRARY})

find_package(CLI11 2.1 REQUIRED)
assay_record_dependency(CLI11 ${CLI11_VERSION})
find_package(tomlplusplus 3.3 QUIET)
find_path(ASSAY_TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(assay_toml INTERFACE)
target_include_directories(assay_toml SYSTEM INTERFACE ${ASSAY_TOMLPLUSPLUS_INCLUDE_DIR})

find_package(SQLiteCpp 3.2 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
assay_record_dependency(SQLite ${SQLite3_VERSION})

find_package(CURL 7.85 REQUIRED)  # CURLOPT_PROTOCOLS_STR
assay_record_dependency(libcurl ${CURL_VERSION_STRING})

find_package(Boost 1.74 REQUIRED)  # headers only: Boost.Math distributions
assay_record_dependency(Boost ${Boost_VERSION})

# DLPack's header comes from the apache-tvm-ffi wheel (Debian's is 0.6 and knows neither bool nor FP8).
find_path(ASSAY_DLPACK_INCLUDE_DIR dlpack/dlpack.h
  PATHS ${PROJECT_SOURCE_DIR}/build/python/include-dlpack NO_DEFAULT_PATH
  DOC "Folder that holds dlpack/dlpack.h; ./dev setup provides it")
if(NOT ASSAY_DLPACK_INCLUDE_DIR)
  message(FATAL_ERROR "dlpack/dlpack.h not found: run ./dev setup, which installs what deps/pip.txt names")
endif()
add_library(assay_dlpack INTERFACE)
target_include_directories(assay_dlpack SYSTEM INTERFACE ${ASSAY_DLPACK_INCLUDE_DIR})

# What solutions bound by TVM-FFI are built with and loaded after. Nothing of ours needs it to be built.
find_path(ASSAY_TVM_FFI_DIR include/tvm/ffi/c_api.h
  PATHS ${PROJECT_SOURCE_DIR}/build/python/tvm-ffi NO_DEFAULT_PATH
  DOC "Folder with include/tvm/ffi and lib/libtvm_ffi.so; ./dev setup provides it")
if(ASSAY_TVM_FFI_DIR)
  assay_record_dependency(TVM-FFI ${ASSAY_TVM_FFI_DIR})
else()
  assay_record_dependency(TVM-FFI "absent: candidates that are bound by it are refused")
endif()

if(ASSAY_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
  assay_record_dependency(GoogleTest ${GTest_VERSION})
  find_package(rapidcheck REQUIRED)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
endif()
if(ASSAY_BUILD_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()

find_program(ASSAY_NVCC nvcc PATHS /usr/local/cuda/bin)
if(ASSAY_NVCC)
  assay_record_dependency(nvcc ${ASSAY_NVCC})
else()
  assay_record_dependency(nvcc "absent: everything but CUDA is built")
endif()

function(assay_print_dependencies)
  get_property(dependencies GLOBAL PROPERTY ASSAY_DEPENDENCIES)
  message(STATUS "Assay ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  foreach(dependency IN LISTS dependencies)
    message(STATUS "  ${dependency}")
  endforeach()
endfunction()
