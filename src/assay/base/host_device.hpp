#pragma once

namespace assay::base {

/// Marks what is compiled for the CPU and, where nvcc reads the header, for the GPU too, so that both compute the same
/// by one text. Headers that use it keep to C++17 and to what the GPU's compiler knows of the standard library.
#if defined(__CUDACC__)
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

}  // namespace assay::base
