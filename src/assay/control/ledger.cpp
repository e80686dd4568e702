#include <assay/control/ledger.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include <assay/base/text.hpp>

namespace assay::control {
namespace {

constexpr double kMicro = 1e6;
// 0.02031 * 1e6 is 20310.000000000004: rounding up must not make 20311 of it.
constexpr double kRoundingSlack = 1e-6;

constexpr std::array<Resource, kResources> kAllResources = {
    Resource::micro_dollars, Resource::tokens, Resource::device_ms, Resource::wall_ms, Resource::human_seconds};

std::int64_t clamped(std::int64_t amount) { return std::clamp<std::int64_t>(amount, 0, kLargestAmount); }

std::int64_t sum(std::int64_t a, std::int64_t b) { return clamped(clamped(a) + clamped(b)); }

std::int64_t booked(std::int64_t reserved, const Actual& actual) {
  switch (actual.certainty) {
    case Actual::Certainty::exact:
      return clamped(actual.amount);
    case Actual::Certainty::at_least:
      return std::max(reserved, clamped(actual.amount));
    case Actual::Certainty::unknown:
      break;
  }
  return reserved;
}

}  // namespace

base::Result<void> Ledger::reserve(const std::string& id, const Amounts& most) {
  if (open_.contains(id)) {
    return base::internal_error("ledger.reserved", fmt::format("{} is reserved already", id));
  }
  for (const Resource resource : kAllResources) {
    const std::optional<std::int64_t> rest = left(resource);
    if (rest && clamped(most[resource]) > *rest) {
      return base::input_error(
          "budget.reached",
          fmt::format("{} would take up to {}, and of the budget of {} there is {} left: raise it to go on", id,
                      amount_text(resource, most[resource]), amount_text(resource, *budget_[resource]),
                      amount_text(resource, *rest)));
    }
  }
  Amounts& kept = open_[id];
  for (const Resource resource : kAllResources) {
    kept[resource] = clamped(most[resource]);
  }
  return {};
}

base::Result<Amounts> Ledger::settle(const std::string& id, const Actuals& actuals) {
  const auto found = open_.find(id);
  if (found == open_.end()) {
    return base::internal_error("ledger.not_reserved", fmt::format("{} was never reserved", id));
  }
  Amounts result;
  for (const Resource resource : kAllResources) {
    result[resource] = booked(found->second[resource], actuals[static_cast<std::size_t>(resource)]);
  }
  open_.erase(found);
  book(result);
  return result;
}

void Ledger::book(const Amounts& amounts) {
  for (const Resource resource : kAllResources) {
    spent_[resource] = sum(spent_[resource], amounts[resource]);
  }
}

void Ledger::set_limits(const Budget& limits) {
  for (const Resource resource : kAllResources) {
    if (limits[resource]) {
      budget_[resource] = limits[resource];
    }
  }
}

Amounts Ledger::reserved() const {
  Amounts total;
  for (const auto& [id, amounts] : open_) {
    for (const Resource resource : kAllResources) {
      total[resource] = sum(total[resource], amounts[resource]);
    }
  }
  return total;
}

std::optional<std::int64_t> Ledger::left(Resource resource) const {
  const std::optional<std::int64_t> limit = budget_[resource];
  if (!limit) {
    return std::nullopt;
  }
  return std::max<std::int64_t>(clamped(*limit) - sum(spent_[resource], reserved()[resource]), 0);
}

std::optional<Resource> Ledger::exhausted() const {
  const auto found =
      std::find_if(kAllResources.begin(), kAllResources.end(), [&](Resource one) { return left(one) == 0; });
  return found == kAllResources.end() ? std::nullopt : std::optional(*found);
}

std::string amount_text(Resource resource, std::int64_t amount) {
  switch (resource) {
    case Resource::micro_dollars:
      return fmt::format("${:.4f}", static_cast<double>(amount) / kMicro);
    case Resource::tokens:
      return fmt::format("{} tokens", amount);
    case Resource::device_ms:
      return fmt::format("{:.1f} s of the device", static_cast<double>(amount) / 1000);
    case Resource::wall_ms:
      return fmt::format("{:.1f} s", static_cast<double>(amount) / 1000);
    case Resource::human_seconds:
      break;
  }
  return fmt::format("{:.1f} minutes of a person", static_cast<double>(amount) / 60);
}

std::string limits_text(const Budget& budget) {
  std::vector<std::string> limits;
  for (const Resource resource : kAllResources) {
    if (budget[resource]) {
      limits.push_back(amount_text(resource, *budget[resource]));
    }
  }
  return base::join(limits, ", ");
}

base::Json encode(const Amounts& amounts) {
  base::Json json = base::Json::object();
  for (const Resource resource : kAllResources) {
    json[std::string(to_string(resource))] = amounts[resource];
  }
  return json;
}

base::Json encode(const Budget& budget) {
  base::Json json = base::Json::object();
  for (const Resource resource : kAllResources) {
    json[std::string(to_string(resource))] = budget[resource] ? base::Json(*budget[resource]) : base::Json();
  }
  return json;
}

base::Json encode(const Ledger& ledger) {
  const Amounts reserved = ledger.reserved();
  const auto optional_number = [](const std::optional<std::int64_t>& value) {
    return value ? base::Json(*value) : base::Json();
  };
  base::Json json = base::Json::object();
  for (const Resource resource : kAllResources) {
    json[std::string(to_string(resource))] = {{"spent", ledger.spent()[resource]},
                                              {"reserved", reserved[resource]},
                                              {"limit", optional_number(ledger.budget()[resource])},
                                              {"left", optional_number(ledger.left(resource))}};
  }
  return json;
}

std::int64_t to_micro_dollars(double dollars) {
  const double micro = std::ceil(dollars * kMicro - kRoundingSlack);
  if (!(dollars >= 0) || !(micro < static_cast<double>(kLargestAmount))) {
    return kLargestAmount;
  }
  return static_cast<std::int64_t>(std::max(micro, 0.0));
}

}  // namespace assay::control
