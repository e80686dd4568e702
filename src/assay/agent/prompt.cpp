#include <assay/agent/prompt.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/agent/event_line.hpp>
#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kLongestCell = 160;
constexpr std::size_t kLongestNote = 1000;
constexpr std::size_t kMostRoutes = 40;  // The newest: what is older is in state.json.

// One cell of a table: a candidate's name or cause may hold anything.
std::string cell(std::string_view text) {
  std::string result = clip(base::printable(text), kLongestCell);
  std::replace(result.begin(), result.end(), '\n', ' ');
  std::replace(result.begin(), result.end(), '\t', ' ');
  std::replace(result.begin(), result.end(), '|', '/');
  std::replace(result.begin(), result.end(), '`', '\'');
  return result.empty() ? "-" : result;
}

// One line of a list. What a person says may be longer than a cell, and is still only text.
std::string note_line(std::string_view text) {
  std::string line = clip(base::printable(text), kLongestNote);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '`', '\'');
  return line;
}

std::string duration_text(double nanoseconds) {
  return base::human(std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(nanoseconds, 1e18))));
}

std::string effect_text(const std::optional<double>& log_ratio) {
  return log_ratio ? fmt::format("{:.3f}x the baseline's speed", std::exp(-*log_ratio)) : "not measured";
}

std::string regimes_text(const Situation& situation) {
  if (situation.regimes.empty()) {
    return "The baseline has not been measured yet.\n";
  }
  std::string text =
      "| regime | workloads | baseline | share of the time | headroom |\n| --- | --- | --- | --- | --- |\n";
  for (const RegimeFact& regime : situation.regimes) {
    text +=
        fmt::format("| {} | {} | {} | {:.1f} % | {} |\n", cell(regime.name), regime.workloads,
                    duration_text(regime.baseline_ns), 100 * regime.latency_share,
                    regime.headroom ? fmt::format("{:.2f}x to the roofline's floor", *regime.headroom) : "not known");
  }
  return text;
}

std::string tried_text(const Situation& situation) {
  if (situation.tried.empty()) {
    return "Nothing has been tried yet.\n";
  }
  std::string text =
      "| no. | candidate | what it changed | outcome | measured effect | why |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  const std::size_t first = situation.tried.size() - std::min(situation.tried.size(), kMostRoutes);
  for (std::size_t i = first; i < situation.tried.size(); ++i) {
    const Trial& trial = situation.tried[i];
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", trial.number, cell(trial.solution.name), cell(trial.change),
                    task::to_string(trial.outcome), effect_text(trial.log_ratio_to_baseline), cell(trial.cause));
  }
  return text;
}

}  // namespace

base::Json encode(const Situation& situation) {
  base::Json regimes = base::Json::array();
  for (const RegimeFact& regime : situation.regimes) {
    regimes.push_back({{"name", regime.name},
                       {"workloads", regime.workloads},
                       {"baseline_ns", regime.baseline_ns},
                       {"latency_share", regime.latency_share},
                       {"headroom", regime.headroom ? base::Json(*regime.headroom) : base::Json()}});
  }
  base::Json tried = base::Json::array();
  for (const Trial& trial : situation.tried) {
    tried.push_back({{"number", trial.number},
                     {"name", trial.solution.name},
                     {"change", trial.change},
                     {"outcome", std::string(task::to_string(trial.outcome))},
                     {"cause", trial.cause},
                     {"log_ratio_to_baseline",
                      trial.log_ratio_to_baseline ? base::Json(*trial.log_ratio_to_baseline) : base::Json()}});
  }
  return {{"definition", task::encode(situation.definition)},
          {"device", situation.device},
          {"interface", situation.interface},
          {"regimes", std::move(regimes)},
          {"noise_floor", situation.noise_floor ? base::Json(*situation.noise_floor) : base::Json()},
          {"parent", situation.parent},
          {"parent_log_ratio", situation.parent_log_ratio ? base::Json(*situation.parent_log_ratio) : base::Json()},
          {"tried", std::move(tried)},
          {"remaining", situation.remaining},
          {"notes", situation.notes},
          {"start_from", situation.start_from ? base::Json(*situation.start_from) : base::Json()}};
}

std::string render_prompt(const Situation& situation) {
  std::string text = fmt::format("# Make {} faster on {}\n\n", cell(situation.definition.name), cell(situation.device));
  text += fmt::format(
      "The folder `candidate/` holds the sources of {} ({}). Change them so that every workload stays correct and all "
      "of\n"
      "them together get faster. {}\n\n",
      cell(situation.parent), effect_text(situation.parent_log_ratio), situation.interface);
  text +=
      "What counts is what lies in `candidate/` when you end: it is built, checked against a reference in double "
      "precision\n"
      "on inputs that you do not know, and timed against the incumbent elsewhere. Nothing that you say is evidence, "
      "and\n"
      "there is no device here. The same numbers as below, and the definition, are in `state.json`.\n\n"
      "Before you begin, state one hypothesis in `hypothesis.json`: {\"regime\": …, \"limiting_resource\": …, "
      "\"change\": …,\n"
      "\"predicted_effect\": …}, all short texts. Do not repeat a route below without saying what differs.\n\n";
  text += "## Regimes\n\n" + regimes_text(situation) + "\n## Tried\n\n" + tried_text(situation) + "\n";
  text += situation.noise_floor
              ? fmt::format("Changes below {:.2f} % cannot be told from noise here.\n", 100 * *situation.noise_floor)
              : "How large a change must be to be told from noise has not been measured here.\n";
  if (!situation.notes.empty()) {
    text +=
        "\n## What people and the supervisor say\n\nWhere to look, and no more: nothing here changes what counts.\n\n";
    for (const std::string& note : situation.notes) {
      text += "- " + note_line(note) + "\n";
    }
  }
  if (!situation.remaining.empty()) {
    text += "\n## What is left\n\n";
    for (const std::string& line : situation.remaining) {
      text += "- " + cell(line) + "\n";
    }
  }
  return text;
}

}  // namespace assay::agent
