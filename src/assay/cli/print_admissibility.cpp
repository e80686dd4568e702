#include <assay/cli/print_admissibility.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

using report::Tone;

std::string share(std::int64_t part, std::int64_t whole) { return fmt::format("{} of {}", part, whole); }

Tone tone_of(bool good) { return good ? Tone::good : Tone::bad; }

std::string impostor_table(const task::Admissibility& admissibility, report::Colour colour) {
  report::Table table({{"output"}, {"impostor"}, {"rejected"}, {"by flashinfer-bench"}});
  for (const task::ImpostorResult& row : admissibility.impostors) {
    table.add({base::printable(row.output),
               base::printable(row.impostor),
               {share(row.rejected, row.trials), tone_of(row.rejected == row.trials)},
               share(row.officially_rejected, row.trials)});
  }
  return table.render(colour, 2);
}

std::string input_table(const task::Admissibility& admissibility, report::Colour colour) {
  report::Table table({{"input"}, {"changes that show"}});
  for (const task::InputInfluence& row : admissibility.inputs) {
    table.add({base::printable(row.input),
               row.trials == 0 ? report::Table::Cell{std::string("never changed alone")}
                               : report::Table::Cell{share(row.seen, row.trials), tone_of(row.seen == row.trials)}});
  }
  return table.render(colour, 2);
}

}  // namespace

std::string print_admissibility(const task::Admissibility& admissibility, report::Colour colour) {
  std::string text = fmt::format(
      "{}: the right answer, rounded to its type, passes in {} trials\n", base::printable(admissibility.definition),
      report::tinted(share(admissibility.honest_passed, admissibility.honest_trials),
                     tone_of(admissibility.honest_passed == admissibility.honest_trials), colour));
  if (!admissibility.honest_reason.empty()) {
    text += "  " + base::printable(admissibility.honest_reason) + "\n";
  }
  text += "\n" + impostor_table(admissibility, colour) + "\n" + input_table(admissibility, colour) + "\n";
  const auto vacuous =
      std::count_if(admissibility.impostors.begin(), admissibility.impostors.end(),
                    [](const task::ImpostorResult& row) { return row.officially_rejected < row.trials; });
  text += admissibility.proved()
              ? report::tinted("The tolerances tell every impostor from a right answer", Tone::good, colour)
              : report::tinted("The tolerances are not proved: see what is not rejected, or does not show", Tone::bad,
                               colour);
  return text + fmt::format("; those of flashinfer-bench let {} of {} kinds pass at times (seed {}).\n", vacuous,
                            admissibility.impostors.size(), admissibility.seed);
}

}  // namespace assay::cli
