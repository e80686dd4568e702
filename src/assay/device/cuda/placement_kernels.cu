// The kernels of placer.hpp. A warp takes a piece, and stores whole words in order; places in pools need no alignment.
#include <cstdint>

#include <assay/device/cuda/placed_piece.hpp>
#include <assay/device/scaled_bfloat16.hpp>

namespace {

using assay::device::cuda::PlacedPatch;
using assay::device::cuda::PlacedPiece;
using Word = unsigned long long;

constexpr unsigned kWarp = 32;

// CopyPlan::Kind, whose header is not for this compiler; placer.cpp holds the numbers against it.
enum Kind : unsigned { kCopy, kFlip, kZero, kScaleFloat32, kScaleBfloat16 };

struct FromPool {
  const unsigned* words;  // Aligned; the first byte is `bits` / 8 bytes behind.
  unsigned bits;
  __device__ explicit FromPool(Word from)
      : words(reinterpret_cast<const unsigned*>(from & ~Word{3})), bits(8 * static_cast<unsigned>(from & 3U)) {}
  __device__ unsigned operator[](unsigned i) const {
    // The word behind is looked at only where it holds a byte of this one.
    return bits == 0 ? __ldg(words + i) : __funnelshift_r(__ldg(words + i), __ldg(words + i + 1), bits);
  }
};

__device__ unsigned bits_of(float value) { return __float_as_uint(value); }

template <class WordAt>
__device__ void store_words(unsigned* to, unsigned words, unsigned lane, const WordAt& word_at) {
#pragma unroll 8
  for (unsigned i = lane; i < words; i += kWarp) {
    to[i] = word_at(i);
  }
}

__device__ unsigned char byte_of(const PlacedPiece& piece, const unsigned char* masks, unsigned at) {
  if (piece.kind == kZero) {
    return 0;
  }
  const unsigned char byte = reinterpret_cast<const unsigned char*>(piece.from)[at];
  return piece.kind == kFlip ? byte ^ masks[piece.mask + at % piece.mask_bytes] : byte;
}

__device__ void place(const PlacedPiece& piece, const unsigned char* masks, unsigned lane) {
  auto* const to = reinterpret_cast<unsigned*>(piece.to);
  if (piece.kind == kScaleFloat32 || piece.kind == kScaleBfloat16) {  // Whole words, at whole words.
    const auto* const numbers = reinterpret_cast<const float*>(piece.from);
    const float factor = piece.factor;
    if (piece.kind == kScaleFloat32) {
      store_words(to, piece.bytes / 4, lane, [=](unsigned i) { return bits_of(factor * __ldg(numbers + i)); });
      return;
    }
    store_words(to, piece.bytes / 4, lane, [=](unsigned i) {
      const unsigned low = assay::device::scaled_bfloat16(__ldg(numbers + 2 * i), factor);
      const unsigned high = assay::device::scaled_bfloat16(__ldg(numbers + 2 * i + 1), factor);
      return low | (high << 16U);
    });
    return;
  }
  // Any alignment of the destination is right, that of a word quick.
  const unsigned words = piece.to % 4 == 0 ? piece.bytes / 4 : 0;
  const FromPool from(piece.from);
  if (piece.kind == kZero) {
    store_words(to, words, lane, [](unsigned) { return 0U; });
  } else if (piece.kind == kFlip) {
    const auto* const mask = reinterpret_cast<const unsigned*>(masks + piece.mask);
    const unsigned period = piece.mask_bytes / 4;
    store_words(to, words, lane, [=](unsigned i) { return from[i] ^ __ldg(mask + i % period); });
  } else {
    store_words(to, words, lane, [=](unsigned i) { return from[i]; });
  }
  for (unsigned at = 4 * words + lane; at < piece.bytes; at += kWarp) {
    reinterpret_cast<unsigned char*>(piece.to)[at] = byte_of(piece, masks, at);
  }
}

}  // namespace

extern "C" __global__ void assay_place(const PlacedPiece* pieces, Word count, const unsigned char* masks) {
  const Word warps = Word{gridDim.x} * blockDim.x / kWarp;
  for (Word i = (Word{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp; i < count; i += warps) {
    place(pieces[i], masks, threadIdx.x % kWarp);
  }
}

// One warp: patches may overlap, and the later one counts.
extern "C" __global__ void assay_patch(const PlacedPatch* patches, Word count) {
  for (Word i = 0; i < count; ++i) {
    const PlacedPatch patch = patches[i];
    for (Word at = threadIdx.x; at < patch.bytes; at += kWarp) {
      reinterpret_cast<unsigned char*>(patch.to)[at] = reinterpret_cast<const unsigned char*>(patch.from)[at];
    }
    __syncwarp();
  }
}

// Brings what was written down on the host, a word of 16 bytes a thread.
extern "C" __global__ void assay_fetch(const uint4* from, uint4* to, Word count) {
  const Word i = Word{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    to[i] = from[i];
  }
}
