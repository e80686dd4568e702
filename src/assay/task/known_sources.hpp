#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <assay/task/solution.hpp>

namespace assay::task {

/// How a source repeats an earlier one.
enum class SourceSameness : std::uint8_t {
  content,     ///< The same bytes, entry point and parameters.
  normalised,  ///< The same after comments and blank space.
};

struct SourceRepeat {
  int of = 0;
  SourceSameness sameness = SourceSameness::content;
};

/// The sources that were tried, under numbers: the part of a campaign's memory that needs nobody's words. Pure.
class KnownSources {
 public:
  /// Returns which earlier source this one repeats: the earliest with the same content, or else the earliest that is the same
  /// after normalisation. Nothing: it is new.
  [[nodiscard]] std::optional<SourceRepeat> find(const CandidateIdentity& identity) const;

  /// Remembers a source; one that repeats another too.
  void add(int number, const CandidateIdentity& identity);

 private:
  struct Hash {
    std::size_t operator()(const base::Digest& digest) const;
  };
  std::unordered_map<base::Digest, int, Hash> by_content_;
  std::unordered_map<base::Digest, int, Hash> by_normalised_;
};

}  // namespace assay::task
