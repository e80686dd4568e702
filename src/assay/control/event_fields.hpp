#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <assay/base/json.hpp>
#include <assay/control/log_ratio.hpp>
#include <assay/promote/decision.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/outcome.hpp>

namespace assay::control {

/// Reads a whole number of at least `minimum` that fits an int.
[[nodiscard]] int read_int(const task::Node& node, std::int64_t minimum = 0);
/// Reads text that is not empty.
[[nodiscard]] std::string read_name(const task::Node& node);

[[nodiscard]] base::Json outcome_json(task::Outcome outcome);
[[nodiscard]] task::Outcome read_outcome(const task::Node& node);

/// Encodes the start of the body of an event that ends an evaluation: whose it was ("candidate" or "injection" and its
/// number), its id, the outcome and the cause. `read_ended` reads all but the first.
[[nodiscard]] base::Json ended_body(const char* subject, int number, const std::string& evaluation,
                                    task::Outcome outcome, const std::string& cause);

template <class Ended>
void read_ended(task::Fields& fields, Ended& entry) {
  entry.evaluation = read_name(fields.required("evaluation"));
  entry.outcome = read_outcome(fields.required("outcome"));
  entry.cause = fields.required("cause").text();
}

/// What is missing or wrong goes to the node, as with all readers.
[[nodiscard]] promote::Decision read_decision(const task::Node& node);

/// Encode and read an interval; null where there is none.
[[nodiscard]] base::Json encode_log_ratio(const std::optional<LogRatio>& ratio);
[[nodiscard]] std::optional<LogRatio> read_log_ratio(const task::Node& node);

}  // namespace assay::control
