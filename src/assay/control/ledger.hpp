#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>

namespace assay::control {

/// What a campaign spends. Whole numbers, so that sums are exact: nobody's budget may depend on rounding.
enum class Resource : std::uint8_t {
  micro_dollars,
  tokens,         ///< In and out.
  device_ms,      ///< That the judge holds the device.
  wall_ms,        ///< That runs of agents and evaluations take, by the campaign's clock.
  human_seconds,  ///< Of a person's attention.
};
inline constexpr std::size_t kResources = 5;
/// Persisted; in the order of the enumerators.
inline constexpr std::array<std::string_view, kResources> kResourceNames = {"micro_dollars", "tokens", "device_ms",
                                                                            "wall_ms", "human_seconds"};
[[nodiscard]] constexpr std::string_view to_string(Resource resource) {
  return kResourceNames[static_cast<std::size_t>(resource)];
}

/// The most of anything that is counted. Sums of two never overflow.
inline constexpr std::int64_t kLargestAmount = std::int64_t{1} << 60U;

/// An amount of each resource; none is below 0 or above kLargestAmount.
struct Amounts {
  std::array<std::int64_t, kResources> values{};
  [[nodiscard]] std::int64_t& operator[](Resource resource) { return values[static_cast<std::size_t>(resource)]; }
  [[nodiscard]] std::int64_t operator[](Resource resource) const { return values[static_cast<std::size_t>(resource)]; }
  bool operator==(const Amounts&) const = default;
};

/// How much of each may be spent; absent: as much as anybody likes.
struct Budget {
  std::array<std::optional<std::int64_t>, kResources> limits{};
  [[nodiscard]] std::optional<std::int64_t>& operator[](Resource resource) {
    return limits[static_cast<std::size_t>(resource)];
  }
  [[nodiscard]] std::optional<std::int64_t> operator[](Resource resource) const {
    return limits[static_cast<std::size_t>(resource)];
  }
  bool operator==(const Budget&) const = default;
};

/// What is known of one resource after something was done.
struct Actual {
  enum class Certainty : std::uint8_t {
    exact,     ///< This is what it cost.
    at_least,  ///< It cost this or more.
    unknown,
  };
  Certainty certainty = Certainty::unknown;
  std::int64_t amount = 0;
  bool operator==(const Actual&) const = default;
};
using Actuals = std::array<Actual, kResources>;

/// Who spends what, and what is left. Everything is reserved before it is done and settled after: what was reserved counts
/// as spent until its account is there, and where the account is lost it stays spent. So a run that is killed, or a
/// controller that is, can hide nothing. Pure; folded from the journal.
class Ledger {
 public:
  Ledger() = default;
  explicit Ledger(const Budget& budget) : budget_(budget) {}

  /// Sets `most` aside under a new id. An input error "budget.reached" if any limit would be passed: nothing is set aside
  /// then, and what was wanted must not be done.
  [[nodiscard]] base::Result<void> reserve(const std::string& id, const Amounts& most);
  /// Ends a reservation: books what is exactly known, and otherwise the larger of what was reserved and what is known. An
  /// id that is not reserved is an internal error. Returns what was booked.
  [[nodiscard]] base::Result<Amounts> settle(const std::string& id, const Actuals& actuals);
  /// Books what had no reservation: a person's time.
  void book(const Amounts& amounts);
  /// Takes these limits in the place of those that there are; what is absent stays.
  void set_limits(const Budget& limits);

  [[nodiscard]] const Budget& budget() const { return budget_; }
  [[nodiscard]] const Amounts& spent() const { return spent_; }
  /// Of all open reservations.
  [[nodiscard]] Amounts reserved() const;
  [[nodiscard]] const std::map<std::string, Amounts>& open() const { return open_; }
  /// What may still be reserved; never below 0; absent: no limit.
  [[nodiscard]] std::optional<std::int64_t> left(Resource resource) const;
  /// The first resource of which nothing is left, if any: a hard stop.
  [[nodiscard]] std::optional<Resource> exhausted() const;

 private:
  Budget budget_;
  Amounts spent_;
  std::map<std::string, Amounts> open_;
};

/// "$0.50", "1200 tokens", "3.5 s", with its unit.
[[nodiscard]] std::string amount_text(Resource resource, std::int64_t amount);

/// "$2.0000, 100 tokens": the limits that there are.
[[nodiscard]] std::string limits_text(const Budget& budget);

[[nodiscard]] base::Json encode(const Amounts& amounts);
/// Null where there is no limit.
[[nodiscard]] base::Json encode(const Budget& budget);
/// What was spent, what is reserved, the limit and what is left, for each resource.
[[nodiscard]] base::Json encode(const Ledger& ledger);

/// Turns dollars into micro-dollars, rounding up: a budget is never passed by rounding. What is no number, or below 0, is
/// kLargestAmount.
[[nodiscard]] std::int64_t to_micro_dollars(double dollars);

}  // namespace assay::control
