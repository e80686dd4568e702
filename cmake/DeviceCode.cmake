# assay_add_device_code(<layer> SOURCES <file>.cu...)
#
# Compiles each file by nvcc to a fatbin (ASSAY_CUDA_ARCHITECTURES, and PTX of 8.0 for what else there is) and puts
# it into the layer's library as the function
#   std::span<const std::byte> assay::device::cuda::code::<stem of the file>()
# which a header of the layer declares. Stems are unique over all layers. Where there is no nvcc the span is empty, and
# loading it says so (device/cuda/device_code.hpp).

include_guard(GLOBAL)
find_program(ASSAY_NVCC nvcc PATHS /usr/local/cuda/bin DOC "CUDA's compiler, for the trusted kernels")
mark_as_advanced(ASSAY_NVCC)
set(ASSAY_CUDA_ARCHITECTURES "80;90a;100a" CACHE STRING "GPU architectures that the trusted kernels are compiled for")
if(ASSAY_NVCC)
  message(STATUS "Trusted GPU kernels: ${ASSAY_NVCC} for ${ASSAY_CUDA_ARCHITECTURES}")
else()
  message(STATUS "Trusted GPU kernels: none, for want of nvcc")
endif()

function(assay_add_device_code layer)
  cmake_parse_arguments(PARSE_ARGV 1 code "" "" "SOURCES")
  set(targets "-gencode=arch=compute_80,code=compute_80")
  foreach(architecture IN LISTS ASSAY_CUDA_ARCHITECTURES)
    list(APPEND targets "-gencode=arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  foreach(source IN LISTS code_SOURCES)
    cmake_path(GET source STEM stem)
    set(base ${CMAKE_CURRENT_BINARY_DIR}/device_code/${stem})
    set(assembly "")
    set(body "return {};")
    if(ASSAY_NVCC)
      set(fatbin ${base}.fatbin)
      add_custom_command(OUTPUT ${fatbin}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/device_code
        COMMAND ${ASSAY_NVCC} -fatbin -std=c++20 -O3 -I${PROJECT_SOURCE_DIR}/src ${targets}
          -MD -MF ${base}.d -MT ${fatbin} -o ${fatbin} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
        DEPENDS ${source} DEPFILE ${base}.d COMMENT "Compiling GPU code ${source}" VERBATIM)
      set(assembly [=[
__asm__(R"(
  .pushsection .rodata.assay_code_@stem@, "a", @progbits
  .balign 64
  .global assay_code_@stem@_begin
assay_code_@stem@_begin:
  .incbin "@fatbin@"
  .global assay_code_@stem@_end
assay_code_@stem@_end:
  .popsection
)");
extern "C" const std::byte assay_code_@stem@_begin[];
extern "C" const std::byte assay_code_@stem@_end[];
]=])
      string(CONFIGURE "${assembly}" assembly @ONLY)
      set(body "return {assay_code_${stem}_begin, assay_code_${stem}_end};")
    endif()
    file(CONFIGURE OUTPUT ${base}.cpp @ONLY CONTENT [=[
// Written by cmake/DeviceCode.cmake.
#include <cstddef>
#include <span>
@assembly@
namespace assay::device::cuda::code {
std::span<const std::byte> @stem@();
std::span<const std::byte> @stem@() { @body@ }
}  // namespace assay::device::cuda::code
]=])
    target_sources(assay_${layer} PRIVATE ${base}.cpp)
    # What the assembler includes, neither a unity build nor a compiler cache sees.
    set_source_files_properties(${base}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(ASSAY_NVCC)
      set_source_files_properties(${base}.cpp PROPERTIES OBJECT_DEPENDS ${fatbin})
    endif()
  endforeach()
endfunction()
