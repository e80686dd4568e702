#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a supervisor looks at: a sequence of attempts, whoever made and measured them. Pure values; a campaign's journal
/// and an archive of foreign results are both turned into this.
namespace assay::supervise {

enum class AttemptKind : std::uint8_t {
  measured,  ///< Correct, and timed.
  failed,    ///< Its own doing: not built, crashed, wrong, late.
  repeated,  ///< The same code as an earlier one, which was noticed before anything ran.
  lost,      ///< Never judged: the machines failed. Says nothing about the candidate.
};

/// A gain with its interval, as a logarithm: ln(time before / time after). Above 0 is faster.
struct LogGain {
  double estimate = 0;
  double lower = 0;
  double upper = 0;
};

/// What a controller claimed when it promoted an attempt.
struct Claim {
  LogGain gain;                         ///< Over the one that it replaced, by whatever measured the two.
  std::optional<std::size_t> replaced;  ///< Its index in the history; absent: none of these.
};

struct Attempt {
  int number = 0;    ///< The caller's; ascending.
  std::string code;  ///< The same text is the same code; empty: not known.
  AttemptKind kind = AttemptKind::measured;
  /// The gain over the best before it, where that is shown: its interval excludes that it is no gain that counts, and code
  /// and environment say nothing against it.
  std::optional<double> improvement;
  bool undecided = false;       ///< Measured, and neither a gain that counts nor its absence was shown.
  std::optional<double> level;  ///< ln(speed); comparable inside one environment.
  int environment = 0;          ///< The same number is the same environment.
  std::optional<Claim> claim;   ///< Absent: it was not promoted.
};

struct History {
  std::vector<Attempt> attempts;
  /// ln(time of the best / least time that the device allows), at most; absent: nobody has modelled it.
  std::optional<double> headroom;
};

}  // namespace assay::supervise
