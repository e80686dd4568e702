#include <assay/cli/print_replay.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

using report::Align;
using report::Table;
using report::Tone;

std::string counts(const std::map<std::string, std::int64_t>& by_kind) {
  std::vector<std::string> parts;
  for (const auto& [kind, count] : by_kind) {
    parts.push_back(fmt::format("{} {}", count, kind));
  }
  return parts.empty() ? "none" : base::join(parts, ", ");
}

std::string or_none(const std::string& text) { return text.empty() ? "nothing" : base::printable(text); }

}  // namespace

std::string print_journal_replay(const control::JournalReplay& replay) {
  std::string text = fmt::format(
      "campaign {}: {} of {} events of its journal reproduced, byte for byte\n"
      "  decided anew          {}\n  taken as it is written {}\n",
      base::printable(replay.campaign), replay.reproduced, replay.events, counts(replay.decided), counts(replay.taken));
  text += replay.note.empty() ? std::string() : base::printable(replay.note) + "\n";
  if (!replay.difference) {
    return text;
  }
  const control::JournalDifference& difference = *replay.difference;
  return text + fmt::format("event {} differs: {}\n  recorded  {} {}\n  anew      {}\n", difference.sequence,
                            base::printable(difference.why), or_none(difference.kind),
                            base::printable(difference.recorded), or_none(difference.other));
}

std::string print_policy_replay(const control::PolicyReplay& replay, report::Colour colour) {
  std::string text =
      fmt::format("campaign {}, recorded under policy {}, decided by policy {}\n\n", base::printable(replay.campaign),
                  base::printable(replay.recorded_policy), base::printable(replay.policy));
  Table decisions({{"event", Align::right}, {"decision"}, {"subject", Align::left, 44}, {"recorded"}, {"otherwise"}});
  std::size_t odd = 0;
  for (const control::DecisionUnderPolicy& one : replay.decisions) {
    if (!one.unmeasured.empty() || one.other != one.recorded) {
      ++odd;
      decisions.add({std::to_string(one.sequence), one.purpose, one.subject, one.recorded,
                     one.unmeasured.empty() ? Table::Cell{one.other, Tone::strong}
                                            : Table::Cell{"not measured: " + one.unmeasured, Tone::faint}});
    }
  }
  text += fmt::format("Of {} decisions, each by itself on what was measured for it, {} would be the same.\n",
                      replay.decisions.size(), replay.decisions.size() - odd);
  text += odd == 0 ? "" : decisions.render(colour, 2);
  Table candidates({{"no.", Align::right}, {"candidate", Align::left, 44}, {"recorded"}, {"otherwise"}});
  std::size_t moved = 0;
  for (const control::CandidateUnderPolicy& one : replay.candidates) {
    if (one.recorded != one.other) {
      ++moved;
      candidates.add({std::to_string(one.number), one.name, one.recorded.empty() ? "-" : one.recorded,
                      one.other.empty() ? "-" : one.other});
    }
  }
  text += fmt::format("\nThe campaign from its beginning: {} of {} candidates would fare otherwise.\n", moved,
                      replay.candidates.size());
  text += moved == 0 ? "" : candidates.render(colour, 2);
  text += fmt::format("The incumbent is {}, and would be {}.\n", base::printable(replay.recorded_incumbent),
                      base::printable(replay.incumbent));
  if (replay.stopped) {
    text += fmt::format("It can be followed no further, for what comes next was not measured: {}.\n",
                        base::printable(*replay.stopped));
  }
  return text;
}

}  // namespace assay::cli
