// The kernels of trusted_kernels.hpp. Every grid strides, so that its size decides the speed alone; 256 threads a block
// unless it says otherwise. The grid's second axis chooses one of the ranges.
#include <cstdint>

#include <assay/base/content_strands.hpp>
#include <assay/device/cuda/device_comparison.hpp>
#include <assay/device/cuda/element_format.hpp>
#include <assay/device/cuda/fill_pattern.hpp>
#include <assay/device/cuda/range_batch.hpp>

namespace {

using namespace assay::device::cuda;
using Strands = assay::base::ContentStrands;
using Word = unsigned long long;  // What the hardware's atomic operations take.

constexpr unsigned kWarp = 32;
constexpr unsigned kAll = 0xffffffffU;

__device__ Word thread_number() { return Word{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ Word thread_count() { return Word{gridDim.x} * blockDim.x; }

// Bytes up to the first 16-byte boundary, and the whole vectors behind them; what is left is a tail of under 16 bytes.
struct Vectors {
  Word head;
  Word count;
  __device__ Vectors(Word address, Word bytes) {
    const Word gap = (16 - address % 16) % 16;
    head = gap < bytes ? gap : bytes;
    count = (bytes - head) / 16;
  }
  __device__ Word tail() const { return head + count * 16; }
};

// The first offset of a range at which bits differ, as one thread sees it.
struct FirstDifference {
  Word offset = ~Word{0};
  // What differs of the eight bytes from an offset on.
  __device__ void note(Word difference, Word from) {
    if (difference != 0) {
      const Word at = from + static_cast<Word>(__ffsll(static_cast<long long>(difference)) - 1) / 8;
      offset = at < offset ? at : offset;
    }
  }
  __device__ void tell(Word* first) const {
    if (offset != ~Word{0}) {
      atomicMin(first, offset);
    }
  }
};

__device__ double shuffle_down(double value, unsigned by) { return __shfl_down_sync(kAll, value, by); }
__device__ Word shuffle_down(Word value, unsigned by) { return __shfl_down_sync(kAll, value, by); }

// Combines the sums of a warp's lanes into those of lane 0, always in the same order.
__device__ void combine_warp(CompareSums& sums) {
  for (unsigned by = kWarp / 2; by > 0; by /= 2) {
    CompareSums other;
    other.error_square = shuffle_down(sums.error_square, by);
    other.expected_square = shuffle_down(sums.expected_square, by);
    other.rounding_square = shuffle_down(sums.rounding_square, by);
    other.excess = shuffle_down(sums.excess, by);
    other.largest_absolute = shuffle_down(sums.largest_absolute, by);
    other.largest_relative = shuffle_down(sums.largest_relative, by);
    other.finite = shuffle_down(static_cast<Word>(sums.finite), by);
    other.mismatches = shuffle_down(static_cast<Word>(sums.mismatches), by);
    other.differing = shuffle_down(static_cast<Word>(sums.differing), by);
    combine(sums, other);
  }
}

__device__ void combine_warp(CompareTotals& totals) {
  combine_warp(totals.sums);
  for (unsigned by = kWarp / 2; by > 0; by /= 2) {
    keep_larger(totals.worst_norm, shuffle_down(totals.worst_norm, by));
    totals.norm_unsure += shuffle_down(static_cast<Word>(totals.norm_unsure), by);
    totals.elements_unsure += shuffle_down(static_cast<Word>(totals.elements_unsure), by);
  }
}

// One lane's part of the elements [first, end).
template <ElementFormat format>
__device__ CompareSums compare_lane(const void* got, const double* expected, Word first, Word end, double relative) {
  CompareSums sums;
#pragma unroll 4
  for (Word at = first + threadIdx.x % kWarp; at < end; at += kWarp) {
    if constexpr (is_floating(format)) {
      compare_floating(format, read_floating(format, got, at), expected[at], relative, sums);
    } else {
      compare_integer(read_integer(format, got, at), expected[at], sums);
    }
  }
  return sums;
}

__device__ CompareSums compare_lane(ElementFormat format, const void* got, const double* expected, Word first, Word end,
                                    double relative) {
  switch (format) {
    case ElementFormat::float64:
      return compare_lane<ElementFormat::float64>(got, expected, first, end, relative);
    case ElementFormat::float32:
      return compare_lane<ElementFormat::float32>(got, expected, first, end, relative);
    case ElementFormat::float16:
      return compare_lane<ElementFormat::float16>(got, expected, first, end, relative);
    case ElementFormat::bfloat16:
      return compare_lane<ElementFormat::bfloat16>(got, expected, first, end, relative);
    case ElementFormat::float8_e4m3fn:
      return compare_lane<ElementFormat::float8_e4m3fn>(got, expected, first, end, relative);
    case ElementFormat::float8_e5m2:
      return compare_lane<ElementFormat::float8_e5m2>(got, expected, first, end, relative);
    case ElementFormat::int64:
      return compare_lane<ElementFormat::int64>(got, expected, first, end, relative);
    case ElementFormat::int32:
      return compare_lane<ElementFormat::int32>(got, expected, first, end, relative);
    case ElementFormat::int16:
      return compare_lane<ElementFormat::int16>(got, expected, first, end, relative);
    case ElementFormat::int8:
      return compare_lane<ElementFormat::int8>(got, expected, first, end, relative);
    case ElementFormat::uint32:
      return compare_lane<ElementFormat::uint32>(got, expected, first, end, relative);
    case ElementFormat::uint8:
      return compare_lane<ElementFormat::uint8>(got, expected, first, end, relative);
    default:
      return compare_lane<ElementFormat::boolean>(got, expected, first, end, relative);
  }
}

}  // namespace

extern "C" __global__ void assay_fill(const __grid_constant__ RangeBatch ranges) {
  const Word address = ranges.address[blockIdx.y];
  const Word bytes = ranges.bytes[blockIdx.y];
  const FillPattern pattern = ranges.pattern[blockIdx.y];
  auto* const to = reinterpret_cast<unsigned char*>(address);
  const Vectors vectors(address, bytes);
  auto* const body = reinterpret_cast<ulonglong2*>(to + vectors.head);
  for (Word i = thread_number(); i < vectors.count; i += thread_count()) {
    const Word offset = vectors.head + 16 * i;
    body[i] = make_ulonglong2(pattern.eight_at(offset), pattern.eight_at(offset + 8));
  }
  const Word thread = thread_number();
  if (thread < vectors.head) {
    to[thread] = pattern.byte_at(thread);
  }
  if (vectors.tail() + thread < bytes) {
    to[vectors.tail() + thread] = pattern.byte_at(vectors.tail() + thread);
  }
}

// `first` holds the largest number for each range, and afterwards the first offset that differs, if any does.
extern "C" __global__ void assay_check_fill(const __grid_constant__ RangeBatch ranges, Word* first) {
  const Word address = ranges.address[blockIdx.y];
  const Word bytes = ranges.bytes[blockIdx.y];
  const FillPattern pattern = ranges.pattern[blockIdx.y];
  const auto* const from = reinterpret_cast<const unsigned char*>(address);
  const Vectors vectors(address, bytes);
  const auto* const body = reinterpret_cast<const ulonglong2*>(from + vectors.head);
  FirstDifference found;
  for (Word i = thread_number(); i < vectors.count; i += thread_count()) {
    const ulonglong2 value = body[i];
    const Word offset = vectors.head + 16 * i;
    found.note(value.x ^ pattern.eight_at(offset), offset);
    found.note(value.y ^ pattern.eight_at(offset + 8), offset + 8);
  }
  const Word thread = thread_number();
  if (thread < vectors.head) {
    found.note(Word{from[thread]} ^ pattern.byte_at(thread), thread);
  }
  if (vectors.tail() + thread < bytes) {
    const Word offset = vectors.tail() + thread;
    found.note(Word{from[offset]} ^ pattern.byte_at(offset), offset);
  }
  found.tell(first + blockIdx.y);
}

// `first` as above, of the offsets at which the two places of a pair differ. Where they are not aligned alike, a byte at a
// time.
extern "C" __global__ void assay_first_difference(const __grid_constant__ RangePairBatch pairs, Word* first) {
  const auto* const one = reinterpret_cast<const unsigned char*>(pairs.first[blockIdx.y]);
  const auto* const other = reinterpret_cast<const unsigned char*>(pairs.second[blockIdx.y]);
  const Word bytes = pairs.bytes[blockIdx.y];
  FirstDifference found;
  Vectors vectors(pairs.first[blockIdx.y], bytes);
  if ((pairs.first[blockIdx.y] ^ pairs.second[blockIdx.y]) % 16 != 0) {
    vectors.head = bytes;
    vectors.count = 0;
  }
  const auto* const body = reinterpret_cast<const ulonglong2*>(one + vectors.head);
  const auto* const beside = reinterpret_cast<const ulonglong2*>(other + vectors.head);
  for (Word i = thread_number(); i < vectors.count; i += thread_count()) {
    const ulonglong2 value = body[i];
    const ulonglong2 second = beside[i];
    found.note(value.x ^ second.x, vectors.head + 16 * i);
    found.note(value.y ^ second.y, vectors.head + 16 * i + 8);
  }
  for (Word i = thread_number(); i < vectors.head; i += thread_count()) {
    found.note(Word{one[i]} ^ Word{other[i]}, i);
  }
  for (Word i = vectors.tail() + thread_number(); i < bytes; i += thread_count()) {
    found.note(Word{one[i]} ^ Word{other[i]}, i);
  }
  found.tell(first + blockIdx.y);
}

// `sum` holds 0 for each range, and afterwards the sum of all finished strands. A warp takes a piece: each row is one
// coalesced read.
extern "C" __global__ void assay_digest(const __grid_constant__ RangeBatch ranges, Word* sum) {
  const Word address = ranges.address[blockIdx.y];
  const Word bytes = ranges.bytes[blockIdx.y];
  const auto* const from = reinterpret_cast<const unsigned char*>(address);
  const Word lane = threadIdx.x % kWarp;
  const Word pieces = (bytes + Strands::kPieceBytes - 1) / Strands::kPieceBytes;
  const bool aligned = address % sizeof(Word) == 0;
  Word total = 0;
  for (Word piece = thread_number() / kWarp; piece < pieces; piece += thread_count() / kWarp) {
    const Word begin = piece * Strands::kPieceBytes;
    const Word left = bytes - begin;
    Word state = Strands::start(piece, lane);
    if (aligned && left >= Strands::kPieceBytes) {
      const auto* const words = reinterpret_cast<const Word*>(from + begin) + lane;
#pragma unroll 16
      for (Word row = 0; row < Strands::kRows; ++row) {
        state = Strands::stir(state, words[row * Strands::kStrands]);
      }
    } else {
      for (Word row = 0; row < Strands::kRows && row * Strands::kRowBytes < left; ++row) {
        Word word = 0;
        const Word at = row * Strands::kRowBytes + lane * sizeof(Word);
        for (Word byte = 0; byte < sizeof(Word) && at + byte < left; ++byte) {
          word |= Word{from[begin + at + byte]} << (8 * byte);
        }
        state = Strands::stir(state, word);
      }
    }
    total += Strands::finish(state, piece, lane);
  }
  for (unsigned by = kWarp / 2; by > 0; by /= 2) {
    total += shuffle_down(total, by);
  }
  if (lane == 0 && total != 0) {
    atomicAdd(sum + blockIdx.y, total);
  }
}

// For a few bytes: the device's engines for copies would have to be waited for.
extern "C" __global__ void assay_copy_words(const unsigned* from, unsigned* to, Word count) {
  for (Word i = thread_number(); i < count; i += thread_count()) {
    to[i] = from[i];
  }
}

// Reads and writes nothing, so that no line is left dirty. The store is there so that the reads are: the sum hardly ever
// is that number, and then one store would be harmless.
extern "C" __global__ void assay_read(Word address, Word bytes, Word* sink) {
  const auto* const from = reinterpret_cast<const ulonglong2*>(address);
  const Word count = bytes / sizeof(ulonglong2);
  Word seen = 0;
#pragma unroll 4
  for (Word i = thread_number(); i < count; i += thread_count()) {
    const ulonglong2 value = from[i];
    seen = (seen ^ value.x) + value.y;
  }
  if (seen == 0x5eed5eed5eed5eedULL) {
    *sink = seen;
  }
}

// A warp takes a piece of one block of the rule; `sums` gets one entry a piece, those of one block side by side.
extern "C" __global__ void assay_compare_pieces(const void* got, ElementFormat format, const double* expected,
                                                Word blocks, Word block_elements, Word pieces_a_block,
                                                Word piece_elements, double relative, CompareSums* sums) {
  const Word pieces = blocks * pieces_a_block;
  for (Word piece = thread_number() / kWarp; piece < pieces; piece += thread_count() / kWarp) {
    const Word begin = piece / pieces_a_block * block_elements;
    const Word first = begin + piece % pieces_a_block * piece_elements;
    const Word end = min(first + piece_elements, begin + block_elements);
    CompareSums own = compare_lane(format, got, expected, first, end, relative);
    combine_warp(own);
    if (threadIdx.x % kWarp == 0) {
      sums[piece] = own;
    }
  }
}

// A warp takes a block and combines its pieces.
extern "C" __global__ void assay_compare_blocks(const CompareSums* of_pieces, Word blocks, Word pieces_a_block,
                                                CompareSums* of_blocks) {
  for (Word block = thread_number() / kWarp; block < blocks; block += thread_count() / kWarp) {
    CompareSums own;
    for (Word piece = threadIdx.x % kWarp; piece < pieces_a_block; piece += kWarp) {
      combine(own, of_pieces[block * pieces_a_block + piece]);
    }
    combine_warp(own);
    if (threadIdx.x % kWarp == 0) {
      of_blocks[block] = own;
    }
  }
}

// One thread block of at most 1024 threads, whole warps.
extern "C" __global__ void __launch_bounds__(1024)
    assay_compare_total(const CompareSums* of_blocks, Word blocks, DeviceRule rule, CompareTotals* totals) {
  __shared__ CompareTotals of_warps[kWarp];
  CompareTotals own;
  for (Word block = threadIdx.x; block < blocks; block += blockDim.x) {
    add_block(own, of_blocks[block], rule);
  }
  combine_warp(own);
  if (threadIdx.x % kWarp == 0) {
    of_warps[threadIdx.x / kWarp] = own;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < blockDim.x / kWarp; ++warp) {
      combine(own, of_warps[warp]);
    }
    *totals = own;
  }
}

// Counts the elements that are wrong by themselves: found[0] holds 0 and gets their number, found[1] holds the largest
// number and gets the first one's index.
extern "C" __global__ void assay_compare_find(const void* got, ElementFormat format, const double* expected,
                                              Word elements, DeviceRule rule, const CompareSums* of_blocks,
                                              const CompareTotals* totals, Word* found) {
  Word wrong = 0;
  Word first = ~Word{0};
  for (Word at = thread_number(); at < elements; at += thread_count()) {
    bool holds = false;
    if (is_floating(format)) {
      const CompareSums& sums = rule.rms_of_block != 0 ? of_blocks[at / rule.block_elements] : totals->sums;
      holds = element_holds(read_floating(format, got, at), expected[at],
                            absolute_tolerance(sums, rule.absolute_of_rms), rule.relative);
    } else {
      holds = equals_integer(read_integer(format, got, at), expected[at]);
    }
    if (!holds) {
      ++wrong;
      first = at < first ? at : first;
    }
  }
  if (wrong != 0) {
    atomicAdd(&found[0], wrong);
    atomicMin(&found[1], first);
  }
}
