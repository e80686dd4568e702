#include <assay/agent/role_prompt.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <assay/agent/event_line.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kMostLessons = 40;  // The newest.
constexpr std::size_t kLongestRoleCell = 200;

// One cell of a table or one item of a list: a model may have written it.
std::string role_cell(std::string_view text) {
  std::string result = clip(kept_statement(text), kLongestRoleCell);
  std::replace(result.begin(), result.end(), '|', '/');
  std::replace(result.begin(), result.end(), '`', '\'');
  return result.empty() ? "-" : result;
}

// What every prompt has of the campaign: all from its first heading on.
std::string situation_sections(const Situation& situation) {
  const std::string text = render_prompt(situation);
  const std::size_t first = text.find("\n## ");
  ASSAY_CHECK(first != std::string::npos);
  return text.substr(first + 1);
}

std::string number_words(int number) {
  return number == 0 ? std::string("the baseline") : fmt::format("candidate {}", number);
}

std::string lessons_text(const Situation& situation) {
  const std::vector<std::string>& lessons = situation.roles.lessons;
  if (lessons.empty()) {
    return "";
  }
  std::string text =
      "\n## Checked\n\nWhat was said about earlier candidates and agrees with their sources and measurements:\n\n";
  for (std::size_t i = lessons.size() - std::min(lessons.size(), kMostLessons); i < lessons.size(); ++i) {
    text += "- " + role_cell(lessons[i]) + "\n";
  }
  return text;
}

std::string faults_text(const std::vector<std::string>& faults) {
  if (faults.empty()) {
    return "";
  }
  std::string text = "An earlier answer could not be used. What was wrong with it:\n\n";
  for (const std::string& fault : faults) {
    text += "- " + role_cell(fault) + "\n";
  }
  return text + "\n";
}

std::string ratio_words(const std::optional<LogInterval>& ratio) {
  return ratio ? fmt::format("{:.3f}x [{:.3f}, {:.3f}]", std::exp(-ratio->mean), std::exp(-ratio->upper),
                             std::exp(-ratio->lower))
               : "not measured";
}

constexpr const char* kHowToAnswer =
    "Write the answer into `answer.json`, as one JSON object by the schema in `schema.json`. Nothing else that you say "
    "or\n"
    "write counts, and nothing that you say is evidence. There is no device here.\n\n";

}  // namespace

std::string planner_prompt(const Situation& situation, const std::vector<ParentOffer>& offers, std::size_t most,
                           const std::vector<std::string>& faults) {
  std::string text = fmt::format("# Plan what to try next: {} on {}\n\n", role_cell(situation.definition.name),
                                 role_cell(situation.device));
  text += fmt::format(
      "State {} for making it faster while every workload stays correct. Others will write the sources, and each is "
      "built,\nchecked and timed. {}\n\n",
      most == 1 ? "one hypothesis" : fmt::format("up to {} hypotheses that differ from each other", most),
      situation.interface);
  text += kHowToAnswer;
  text +=
      "Each hypothesis names the `parent` whose sources it begins with (a number of the table below; their sources are "
      "in\n"
      "`parents/NUMBER/`), the `regime` (\"all\", or a name of the table), the `limiting_resource`, the `mechanism` by "
      "which\nthe `change` helps, and as `predicted_speedup` how many times as fast as its parent it will be: the "
      "measurement is held\nagainst that. `differs` is empty; only where mechanism and regime are a closed route below "
      "it says "
      "what is different now,\nfor what repeats one and does not say is refused.\n\n";
  text += faults_text(faults);
  text += "## Parents\n\n| parent | kind | island |\n| --- | --- | --- |\n";
  for (const ParentOffer& offer : offers) {
    text += fmt::format("| {} | {} | {} |\n", offer.parent, role_cell(offer.cell), offer.island);
  }
  return text + "\n" + situation_sections(situation) + lessons_text(situation);
}

std::string executor_prompt(const Situation& situation, const PlannedHypothesis* planned) {
  if (planned == nullptr) {
    return render_prompt(situation) + lessons_text(situation);
  }
  std::string text = fmt::format("# Carry out one change: {} on {}\n\n", role_cell(situation.definition.name),
                                 role_cell(situation.device));
  text += fmt::format(
      "The folder `candidate/` holds the sources of {}. Carry out the change below in them, so that every workload "
      "stays\n"
      "correct. {} What counts is what lies in `candidate/` when you end: it is built, checked against a reference in "
      "double\nprecision on inputs that you do not know, and timed elsewhere. Nothing that you say is evidence, and "
      "there "
      "is no device\nhere. The numbers below, and the definition, are in `state.json`.\n\n",
      role_cell(situation.parent), situation.interface);
  text += "## The hypothesis\n\n| what | stated by the planner |\n| --- | --- |\n";
  text += fmt::format("| change | {} |\n| mechanism | {} |\n| regime | {} |\n| limiting resource | {} |\n",
                      role_cell(planned->change), role_cell(planned->mechanism), role_cell(planned->regime),
                      role_cell(planned->limiting_resource));
  text += fmt::format("| predicted | {:.3g}x as fast as {} |\n\n", planned->predicted_speedup,
                      number_words(planned->parent));
  return text + situation_sections(situation) + lessons_text(situation);
}

std::string summariser_prompt(const Situation& situation, const std::vector<ClaimFacts>& facts,
                              const std::vector<std::string>& faults) {
  std::string text = fmt::format("# Say what was changed, and why it went as it did: {} on {}\n\n",
                                 role_cell(situation.definition.name), role_cell(situation.device));
  text +=
      "The candidates below were judged. `candidates/NUMBER/now/` has the sources of each, `candidates/NUMBER/before/` "
      "those\nof its parent. Make claims about them; each is checked against the sources and the measurements, and "
      "only "
      "what agrees\nwith them is told to others.\n\n";
  text += kHowToAnswer;
  text +=
      "A claim has a `candidate`, a `kind`, and of `file`, `text`, `against` and `value` what its kind needs (else "
      "\"\", "
      "\"none\"\nand 0):\n\n"
      "- `file_changed`, `file_unchanged`: `file`\n"
      "- `text_added`, `text_removed`: `file`, and a `text` that occurs in it more or less often than before, comments "
      "left out\n"
      "- `faster`, `slower`: `against` \"baseline\" or \"parent\"; only where the whole interval says so\n"
      "- `speedup`: `against`, and the `value`, 1 is as fast\n"
      "- `outcome`: `text`, a word of the table\n"
      "- `cause`: `text`; kept for people, and told to no other agent\n\n";
  text += faults_text(faults);
  text +=
      "## Judged\n\n| candidate | parent | outcome | against the baseline | against its parent |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const ClaimFacts& one : facts) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", one.candidate, number_words(one.parent),
                        task::to_string(one.outcome), ratio_words(one.to_baseline), ratio_words(one.to_parent));
  }
  return text + "\n" + situation_sections(situation);
}

}  // namespace assay::agent
