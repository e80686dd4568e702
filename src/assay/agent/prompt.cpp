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
constexpr double kPercent = 100;

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

std::string headroom_text(const RegimeFact& regime) {
  if (!regime.headroom) {
    return "not known";
  }
  return fmt::format("{:.2f}x to the roofline's floor{}", *regime.headroom,
                     regime.floor_limit.empty() ? "" : " (" + cell(regime.floor_limit) + ")");
}

std::string lines_text(const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) {
    return {};
  }
  std::string text = fmt::format("\n## {}\n\n", heading);
  for (const std::string& line : lines) {
    text += "- " + cell(line) + "\n";
  }
  return text;
}

std::string axes_text(const Situation& situation) {
  std::string text;
  for (const AxisFact& axis : situation.axes) {
    text += fmt::format("{}{} {} to {} ({} values)", text.empty() ? "Axes that vary: " : ", ", cell(axis.name),
                        axis.least, axis.most, axis.values);
  }
  return text.empty() ? text : text + ".\n\n";
}

std::string routes_text(const Situation& situation) {
  if (situation.routes.empty()) {
    return "None yet.\n";
  }
  std::string text =
      "| no. | regime | mechanism | what was changed | predicted | measured | again |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  const std::size_t first = situation.routes.size() - std::min(situation.routes.size(), kMostRoutes);
  for (std::size_t i = first; i < situation.routes.size(); ++i) {
    const RouteFact& route = situation.routes[i];
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", route.candidate, cell(route.stated.regime),
                        cell(route.stated.mechanism), cell(route.stated.change),
                        task::predicted_text(route.stated.predicted),
                        route.effect ? task::effect_text(*route.effect) : "nothing", cell(route.again));
  }
  return text;
}

std::string hypotheses_text(const Situation& situation) {
  std::string text;
  for (const task::Hypothesis& hypothesis : situation.hypotheses) {
    text += fmt::format("- {} in {}: {} (predicted {})\n", cell(hypothesis.mechanism), cell(hypothesis.regime),
                        cell(hypothesis.change), task::predicted_text(hypothesis.predicted));
  }
  return text.empty() ? text : "\n## Hypotheses that nobody has tried\n\n" + text;
}

// The tools are listed in mcp/tool_list.cpp; a test there holds this against the list.
std::string tools_text(const Situation& situation) {
  if (!situation.tools) {
    return {};
  }
  return "\n## Tools\n\n"
         "You have the tools of `assay` (MCP): what you try is judged while you work.\n\n"
         "- `get_task` and `get_state` say what is asked for, how the campaign stands, and how many submissions are "
         "left.\n"
         "- `propose_hypothesis` states what you expect; then `submit_candidate` takes all files of a candidate and "
         "answers "
         "with a\n  job, and `wait_for_job` says how that went: call it until it is judged. `get_result` says it "
         "again.\n"
         "- `get_profile` says where a candidate's time goes, `compare` holds two against each other.\n"
         "- `list_failed_routes` and `search_history` say what was tried: ask them before you try something again.\n\n"
         "Each submission is a candidate of its own. What lies in `candidate/` when you end is judged too, unless you "
         "have "
         "submitted it.\n";
}

std::string regimes_text(const Situation& situation) {
  if (situation.regimes.empty()) {
    return "The baseline has not been measured yet.\n";
  }
  std::string text = axes_text(situation) +
                     "| regime | workloads | baseline | share of the time | headroom |\n"
                     "| --- | --- | --- | --- | --- |\n";
  for (const RegimeFact& regime : situation.regimes) {
    text += fmt::format("| {} | {} | {} | {:.1f} % | {} |\n", cell(regime.name), regime.workloads,
                        duration_text(regime.baseline_ns), kPercent * regime.latency_share, headroom_text(regime));
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
                       {"headroom", regime.headroom ? base::Json(*regime.headroom) : base::Json()},
                       {"floor_limit", regime.floor_limit}});
  }
  base::Json axes = base::Json::array();
  for (const AxisFact& axis : situation.axes) {
    axes.push_back({{"name", axis.name}, {"least", axis.least}, {"most", axis.most}, {"values", axis.values}});
  }
  base::Json routes = base::Json::array();
  for (const RouteFact& route : situation.routes) {
    base::Json json = {{"candidate", route.candidate}, {"hypothesis", task::encode(route.stated)}};
    json["measured"] = route.effect ? base::Json(task::effect_text(*route.effect)) : base::Json();
    json["closed"] = route.closed;
    json["again"] = route.again;
    routes.push_back(std::move(json));
  }
  base::Json hypotheses = base::Json::array();
  for (const task::Hypothesis& hypothesis : situation.hypotheses) {
    hypotheses.push_back(task::encode(hypothesis));
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
          {"axes", std::move(axes)},
          {"contract", situation.contract},
          {"routes", std::move(routes)},
          {"hypotheses", std::move(hypotheses)},
          {"references", situation.references},
          {"notes", situation.notes},
          {"start_from", situation.start_from ? base::Json(*situation.start_from) : base::Json()},
          {"incumbent", situation.incumbent},
          {"tools", situation.tools}};
}

std::string render_prompt(const Situation& situation) {
  std::string text = fmt::format("# Make {} faster on {}\n\n", cell(situation.definition.name), cell(situation.device));
  text += fmt::format(
      "The folder `candidate/` holds the sources of {} ({}). Change them so that every workload stays correct and all "
      "of\n"
      "them together get faster. {}\n\n",
      cell(situation.parent), effect_text(situation.parent_log_ratio), cell(situation.interface));
  text +=
      "What counts is what lies in `candidate/` when you end: it is built, checked against a reference in double "
      "precision\n"
      "on inputs that you do not know, and timed against the incumbent elsewhere. Nothing that you say is evidence, "
      "and\n"
      "there is no device here. The same numbers as below, and the definition, are in `state.json`.\n\n"
      "Before you begin, state one hypothesis in `hypothesis.json`:\n\n"
      "    {\"regime\": \"all\", or a regime's name below, \"mechanism\": what it acts through, in two or three "
      "words,\n"
      "     \"limiting_resource\": …, \"change\": …, \"predicted_speedup\": {\"at_least\": 1.05, \"at_most\": 1.2},\n"
      "     \"differs\": only where its mechanism and regime are a closed route: what is different now}\n\n"
      "It is measured in its regime, and judged by the interval alone. What takes a closed route again and does not "
      "say\n"
      "what differs is refused, and the run is lost.\n";
  text += tools_text(situation);
  text += lines_text("Contract", situation.contract);
  text += "\n## Regimes\n\n" + regimes_text(situation) + "\n## Closed routes\n\n" + routes_text(situation);
  text += hypotheses_text(situation);
  text += "\n## Tried\n\n" + tried_text(situation) + "\n";
  text += situation.noise_floor ? fmt::format("Changes below {:.2f} % cannot be told from noise here.\n",
                                              kPercent * *situation.noise_floor)
                                : "How large a change must be to be told from noise has not been measured here.\n";
  text += lines_text("References", situation.references);
  if (!situation.notes.empty()) {
    text +=
        "\n## What people and the supervisor say\n\nWhere to look, and no more: nothing here changes what counts.\n\n";
    for (const std::string& note : situation.notes) {
      text += "- " + note_line(note) + "\n";
    }
  }
  text += lines_text("What is left", situation.remaining);
  return text;
}

}  // namespace assay::agent
