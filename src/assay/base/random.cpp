#include <assay/base/random.hpp>

#include <sys/random.h>

#include <cmath>
#include <numbers>

#include <assay/base/error.hpp>

namespace assay::base {

std::array<std::uint32_t, 4> Philox::block(std::uint64_t position) const {
  // Constants and the ten rounds are those of the paper named in the header.
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53U;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57U;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
  auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32U); };

  std::array<std::uint32_t, 4> c = {low(position), high(position), low(stream_), high(stream_)};
  std::uint32_t key0 = low(seed_);
  std::uint32_t key1 = high(seed_);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * c[0];
    const std::uint64_t product1 = kMultiplier1 * c[2];
    c = {high(product1) ^ c[1] ^ key0, low(product1), high(product0) ^ c[3] ^ key1, low(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return c;
}

std::uint32_t Philox::next_u32() {
  if (available_ == 0) {
    words_ = block(position_++);
    available_ = 4;
  }
  return words_[4 - available_--];
}

std::uint64_t Philox::next_u64() {
  const std::uint64_t low = next_u32();
  const std::uint64_t high = next_u32();
  return (high << 32U) | low;
}

double Philox::next_uniform() { return static_cast<double>(next_u64() >> 11U) * 0x1.0p-53; }

std::uint64_t Philox::next_below(std::uint64_t bound) {
  ASSAY_CHECK(bound > 0);
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t threshold = (0 - bound) % bound;
  while (true) {
    const Wide product = static_cast<Wide>(next_u64()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64U);
    }
  }
}

double Philox::next_normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - next_uniform()));
  const double angle = 2.0 * std::numbers::pi * next_uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

std::uint64_t stream_id(std::string_view name) {
  // FNV-1a, then a finaliser: short names must differ in every bit.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return mix(hash, name.size());
}

std::uint64_t entropy_seed() {
  std::uint64_t seed = 0;
  ASSAY_CHECK(getrandom(&seed, sizeof seed, 0) == static_cast<ssize_t>(sizeof seed));
  return seed;
}

}  // namespace assay::base
