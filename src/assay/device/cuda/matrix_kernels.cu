// How fast this device's matrix units are: kernels that do nothing but multiply. Values are random, since zeros take less
// power and come out faster than any real product; nobody looks at the results. What they are made of tells
// assay_matrix_facts, by the code that the driver chose for this device.
#include <cstdint>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define ASSAY_WGMMA 1
#endif

namespace {

constexpr unsigned kThreads = 256;

// Some bits, other ones for each thread and use.
__device__ unsigned noise(unsigned seed, unsigned at) {
  unsigned x = seed * 0x9e3779b9U + at * 0x85ebca6bU + 1;
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  return x ^ x >> 16U;
}

// Two bfloat16 between 1/2 and 2 of either sign.
__device__ unsigned two_bf16(unsigned bits) { return (bits & 0x80ff80ffU) | 0x3f003f00U; }
// Four e4m3 between 2^-3 and 2^1 of either sign.
__device__ unsigned four_e4m3(unsigned bits) { return (bits & 0x9f9f9f9fU) | 0x20202020U; }

// Keeps the compiler from leaving anything out: no sum is this number.
__device__ void keep(float sum, float* sink) {
  if (sum == 1.2345e-30F) {
    *sink = sum;
  }
}

#if defined(ASSAY_WGMMA)

// Two warpgroups, each 64 x 256 of the product, with a common second factor: as good kernels for this chip have it.
constexpr unsigned kRowsOfA = 64;
constexpr unsigned kRowsOfB = 256;
constexpr unsigned kRowBytes = 128;         // 64 bfloat16 or 128 e4m3, laid out with the swizzle of 128 bytes.
constexpr unsigned kInstructionBytes = 32;  // Of a row, that one instruction takes.
constexpr unsigned kTileA = kRowsOfA * kRowBytes;
constexpr unsigned kTileB = kRowsOfB * kRowBytes;
constexpr unsigned kSharedBytes = 2 * kTileA + kTileB + 1024;
constexpr unsigned kInstructions = kRowBytes / kInstructionBytes;
constexpr unsigned kBlocksAMultiprocessor = 1;
constexpr unsigned kRounds = 2048;
constexpr unsigned kBf16Depth = 16;
constexpr unsigned kE4m3Depth = 32;
// Two warpgroups, two operations a product.
__host__ __device__ constexpr unsigned operations(unsigned depth) {
  return 2 * kInstructions * 2 * kRowsOfA * kRowsOfB * depth;
}

// A matrix in shared memory as wgmma wants it described: its address, 1,024 bytes from eight rows to the next, 128-byte
// swizzle (PTX ISA, "Matrix Descriptor Format").
__device__ std::uint64_t describe(unsigned address) {
  return static_cast<std::uint64_t>((address & 0x3ffffU) >> 4U) | std::uint64_t{1} << 16U |
         std::uint64_t{1024 >> 4U} << 32U | std::uint64_t{1} << 62U;
}

#define ASSAY_OPERANDS                                                                           \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define ASSAY_8(d, i)                                                                                         \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define ASSAY_32(d, i) ASSAY_8(d, i), ASSAY_8(d, i + 8), ASSAY_8(d, i + 16), ASSAY_8(d, i + 24)
#define ASSAY_128(d) ASSAY_32(d, 0), ASSAY_32(d, 32), ASSAY_32(d, 64), ASSAY_32(d, 96)

struct Bf16 {
  __device__ static unsigned word(unsigned bits) { return two_bf16(bits); }
  __device__ static void multiply(float (&d)[128], std::uint64_t a, std::uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" ASSAY_OPERANDS
                 "}, %128, %129, 1, 1, 1, 0, 0;"
                 : ASSAY_128(d)
                 : "l"(a), "l"(b));
  }
};

struct E4m3 {
  __device__ static unsigned word(unsigned bits) { return four_e4m3(bits); }
  __device__ static void multiply(float (&d)[128], std::uint64_t a, std::uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 {" ASSAY_OPERANDS "}, %128, %129, 1, 1, 1;"
                 : ASSAY_128(d)
                 : "l"(a), "l"(b));
  }
};

template <class Format>
__device__ void multiply_on(unsigned rounds, unsigned seed, float* sink) {
  extern __shared__ unsigned char raw[];
  const auto begin = static_cast<unsigned>(__cvta_generic_to_shared(raw));
  const unsigned tiles = (begin + 1023) / 1024 * 1024;
  auto* words = reinterpret_cast<unsigned*>(raw + (tiles - begin));
  for (unsigned at = threadIdx.x; at < (2 * kTileA + kTileB) / sizeof(unsigned); at += kThreads) {
    words[at] = Format::word(noise(seed + blockIdx.x, at));
  }
  __syncthreads();
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  float d[128] = {};
  const unsigned a = tiles + threadIdx.x / 128 * kTileA;
  const unsigned b = tiles + 2 * kTileA;
  for (unsigned round = 0; round < rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned step = 0; step < kInstructions; ++step) {
      Format::multiply(d, describe(a + step * kInstructionBytes), describe(b + step * kInstructionBytes));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float sum = 0;
#pragma unroll
  for (float value : d) {
    sum += value;
  }
  keep(sum, sink);
}

#else

// Every warp for itself, from registers: eight products of 16 x 8 that do not wait for each other.
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kProducts = 8;
constexpr unsigned kSharedBytes = 0;
constexpr unsigned kBlocksAMultiprocessor = 2;
constexpr unsigned kRounds = 8192;
constexpr unsigned kBf16Depth = 16;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
constexpr unsigned kE4m3Depth = 32;
#else
constexpr unsigned kE4m3Depth = 0;  // No such instruction.
#endif
__host__ __device__ constexpr unsigned operations(unsigned depth) { return kWarps * kProducts * 2 * 16 * 8 * depth; }

struct Bf16 {
  __device__ static unsigned word(unsigned bits) { return two_bf16(bits); }
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct E4m3 {
  __device__ static unsigned word(unsigned bits) { return four_e4m3(bits); }
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    d[0] += static_cast<float>(a[0] + b[0]);
#endif
  }
};

template <class Format>
__device__ void multiply_on(unsigned rounds, unsigned seed, float* sink) {
  unsigned a[2][4];
  unsigned b[kProducts / 2][2];
  const unsigned own = seed + blockIdx.x * kThreads + threadIdx.x;
  for (unsigned i = 0; i < 8; ++i) {
    a[i / 4][i % 4] = Format::word(noise(own, i));
  }
  for (unsigned i = 0; i < kProducts; ++i) {
    b[i / 2][i % 2] = Format::word(noise(own, 8 + i));
  }
  float d[kProducts][4] = {};
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned i = 0; i < kProducts; ++i) {
      Format::multiply(d[i], a[i % 2], b[i / 2]);
    }
  }
  float sum = 0;
  for (const auto& product : d) {
    sum += product[0] + product[1] + product[2] + product[3];
  }
  keep(sum, sink);
}

#endif

}  // namespace

// Facts of this code, in the order of MatrixFacts.
extern "C" __global__ void assay_matrix_facts(unsigned* facts) {
#if defined(ASSAY_WGMMA)
  facts[0] = 1;
#else
  facts[0] = 0;
#endif
  facts[1] = kThreads;
  facts[2] = kBlocksAMultiprocessor;
  facts[3] = kSharedBytes;
  facts[4] = kRounds;
  facts[5] = operations(kBf16Depth);
  facts[6] = operations(kE4m3Depth);
}

extern "C" __global__ void __launch_bounds__(kThreads) assay_matrix_bf16(unsigned rounds, unsigned seed, float* sink) {
  multiply_on<Bf16>(rounds, seed, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads) assay_matrix_e4m3(unsigned rounds, unsigned seed, float* sink) {
  multiply_on<E4m3>(rounds, seed, sink);
}
