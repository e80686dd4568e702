#include <assay/task/outcome.hpp>

#include <array>
#include <utility>

#include <assay/base/error.hpp>

namespace assay::task {

namespace {

// Persisted spellings: never changed; new ones at the end.
constexpr std::array<std::pair<Outcome, std::string_view>, 12> kOutcomes = {{
    {Outcome::duplicate, "duplicate"},
    {Outcome::not_built, "not_built"},
    {Outcome::crashed, "crashed"},
    {Outcome::timed_out, "timed_out"},
    {Outcome::incorrect, "incorrect"},
    {Outcome::suspect, "suspect"},
    {Outcome::protocol_violation, "protocol_violation"},
    {Outcome::measured, "measured"},
    {Outcome::not_better, "not_better"},
    {Outcome::indistinguishable, "indistinguishable"},
    {Outcome::better, "better"},
    {Outcome::built, "built"},
}};

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [value, spelling] : kOutcomes) {
    if (value == outcome) {
      return spelling;
    }
  }
  base::check_failed("an outcome of the closed set", __FILE__, __LINE__);
}

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (const auto& [value, spelling] : kOutcomes) {
    if (spelling == text) {
      return value;
    }
  }
  return std::nullopt;
}

std::vector<Outcome> all_outcomes() {
  std::vector<Outcome> all;
  for (const auto& [value, spelling] : kOutcomes) {
    all.push_back(value);
  }
  return all;
}

bool is_correct(Outcome outcome) {
  switch (outcome) {
    case Outcome::measured:
    case Outcome::not_better:
    case Outcome::indistinguishable:
    case Outcome::better:
      return true;
    case Outcome::duplicate:
    case Outcome::not_built:
    case Outcome::crashed:
    case Outcome::timed_out:
    case Outcome::incorrect:
    case Outcome::suspect:
    case Outcome::protocol_violation:
    case Outcome::built:
      return false;
  }
  return false;
}

}  // namespace assay::task
