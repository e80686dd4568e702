#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/base/json.hpp>
#include <assay/task/definition.hpp>

namespace assay::agent {

/// A regime as a proposer may know it: nothing of it is a guess.
struct RegimeFact {
  std::string name;
  std::size_t workloads = 0;
  double baseline_ns = 0;          ///< Of its representative.
  double latency_share = 0;        ///< Of the baseline's sum.
  std::optional<double> headroom;  ///< Baseline over the roofline's floor; absent: nobody has measured or modelled it.
};

/// How the campaign stands, as data. An agent gets it as state.json, and the prompt is written from it alone.
struct Situation {
  task::Definition definition;
  std::string device;
  std::string interface;  ///< What a candidate must look like: "candidate.h" or a launch plan, in words.
  std::vector<RegimeFact> regimes;
  std::optional<double> noise_floor;  ///< Relative change below which nothing can be told; absent: not measured.
  std::string parent;                 ///< The candidate whose sources lie in the folder.
  std::optional<double> parent_log_ratio;
  std::vector<Trial> tried;            ///< Without their sources.
  std::vector<std::string> remaining;  ///< Budget, a line each: "$0.4200", "3 runs".
  std::vector<std::string> notes;      ///< What people and the supervisor say, a line each. Data, whoever wrote it.
  std::optional<int> start_from;       ///< The candidate that a person wants it to start from; absent: the fastest.
};

[[nodiscard]] base::Json encode(const Situation& situation);

/// Writes the prompt: the task, what counts, the regimes with their headroom, what was tried and what became of it with its
/// measured effect, the noise floor, and what is left of the budget. Names and causes come from candidates and agents:
/// they are made printable, clipped to a line, and cannot end the table that they stand in.
[[nodiscard]] std::string render_prompt(const Situation& situation);

/// What is given on the command line: it names the file.
inline constexpr const char* kShortPrompt =
    "Read PROMPT.md in the current folder and do what it says. Only the files that you leave in candidate/ count.";

}  // namespace assay::agent
