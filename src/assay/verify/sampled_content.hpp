#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::verify {

/// A few words of one side's outputs at places that nobody can guess, as they were at one moment. A candidate that
/// leaves a thousandth of the outputs to a thread that outlives its call is seen with probability 1 - 0.999^4096
/// (98 %); small outputs are kept whole. Cheap enough for every call, where a full digest is not.
class SampledContent {
 public:
  static constexpr std::size_t kWords = 4096;

  SampledContent(const Layout& layout, std::span<const std::byte> memory, base::Philox& random);

  struct Change {
    const Place* place = nullptr;
    std::size_t flat = 0;  ///< The first element of the changed word.
  };
  /// Tells which word differs now from what it was; the first one found.
  [[nodiscard]] std::optional<Change> changed() const;

 private:
  struct Word {
    std::uint32_t offset_words = 0;  ///< From the start of the memory, in units of four bytes.
    std::uint32_t value = 0;
  };
  [[nodiscard]] std::uint32_t read(std::uint32_t offset_words) const;

  const Layout* layout_;
  std::span<const std::byte> memory_;
  std::vector<Word> words_;
};

/// Digests bytes, in parallel pieces: any change of any byte changes it but with probability 2^-64 or so. Not for
/// adversaries who choose the contents: they cannot see it, and only equality of two moments is asked. The trusted GPU
/// kernels compute the same number (base/content_strands.hpp says how).
[[nodiscard]] std::uint64_t content_digest(std::span<const std::byte> bytes);

}  // namespace assay::verify
