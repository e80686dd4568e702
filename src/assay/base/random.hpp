#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <assay/base/mix.hpp>

namespace assay::base {

/// Generates random numbers from a key and a counter (Philox4x32-10; Salmon et al., "Parallel random numbers: as easy
/// as 1, 2, 3", SC'11). Counter-based, so that the n-th number of any stream is had without the n-1 before it, and
/// two processes that know (seed, stream, position) agree.
class Philox {
 public:
  Philox(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  /// Returns four 32-bit words for a block position. Pure.
  [[nodiscard]] std::array<std::uint32_t, 4> block(std::uint64_t position) const;

  /// Returns the next 32 or 64 bits of the stream.
  [[nodiscard]] std::uint32_t next_u32();
  [[nodiscard]] std::uint64_t next_u64();
  /// Returns a double in [0, 1) with 53 random bits.
  [[nodiscard]] double next_uniform();
  /// Returns an integer in [0, bound) without bias (Lemire's multiplication with rejection). `bound` must be > 0.
  [[nodiscard]] std::uint64_t next_below(std::uint64_t bound);
  /// Returns a standard normal (Box-Muller; both values of a pair are used).
  [[nodiscard]] double next_normal();

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  std::array<std::uint32_t, 4> words_{};
  unsigned available_ = 0;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

/// Derives a stream number or a seed from a name, so that streams are named rather than numbered. Stable for ever.
[[nodiscard]] std::uint64_t stream_id(std::string_view name);

/// Draws a seed from the operating system's entropy.
[[nodiscard]] std::uint64_t entropy_seed();

}  // namespace assay::base
