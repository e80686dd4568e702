#include <assay/cli/print_imported.hpp>

#include <fmt/core.h>

#include <map>

#include <assay/base/text.hpp>
#include <assay/foreign/wording.hpp>

namespace assay::cli {
namespace {

using report::Align;
using report::Table;
using report::Tone;

// What names a program: the candidate if its sources are here, else the digest that its owners gave, else its name.
std::string program_key(const archive::ForeignResult& result) {
  return result.candidate ? result.candidate->hex() : result.source ? result.source->hex() : result.solution;
}

struct Program {
  const archive::ForeignResult* first = nullptr;
  std::size_t results = 0;
  std::size_t measured = 0;
  std::optional<double> best_ms;
};

}  // namespace

std::string print_import(const archive::Import& import) {
  return fmt::format("{} {}: {} foreign results, {} solutions with sources ({}, import {})\n",
                     import.fresh ? "imported" : "already there,", base::printable(import.name), import.results,
                     import.candidates, import.kind, import.digest.brief());
}

std::string print_imported(const std::vector<archive::ForeignResult>& results, report::Colour colour) {
  if (results.empty()) {
    return "nothing was imported yet; take results in with: assay import\n";
  }
  std::vector<std::string> order;
  std::map<std::string, Program> programs;
  for (const archive::ForeignResult& result : results) {
    const std::string key = result.definition + "\n" + program_key(result);
    Program& program = programs[key];
    if (program.first == nullptr) {
      program.first = &result;
      order.push_back(key);
    }
    ++program.results;
    if (result.latency_ms) {
      ++program.measured;
      program.best_ms = std::min(program.best_ms.value_or(*result.latency_ms), *result.latency_ms);
    }
  }
  Table table({{"program", Align::left, 14},
               {"definition", Align::left, 48},
               {"solution", Align::left, 32},
               {"results", Align::right},
               {"measured", Align::right},
               {"lowest", Align::right},
               {"import", Align::left, 24}});
  for (const std::string& key : order) {
    const Program& program = programs[key];
    table.add({program_key(*program.first).substr(0, 12), program.first->definition, program.first->solution,
               std::to_string(program.results), std::to_string(program.measured),
               program.best_ms ? foreign::latency_text(*program.best_ms) : std::string(), program.first->origin});
  }
  return table.render(colour) +
         fmt::format("\n{} foreign results of {} programs; none was judged here.\n", results.size(), order.size());
}

std::string print_foreign_results(const std::vector<archive::ForeignResult>& results, report::Colour colour) {
  if (results.empty()) {
    return {};
  }
  Table table({{"foreign result", Align::left, 60},
               {"definition", Align::left, 40},
               {"solution", Align::left, 32},
               {"outcome", Align::left, 28},
               {"latency", Align::right},
               {"reference", Align::right},
               {"import", Align::left, 24},
               {"time", Align::left, 30}});
  for (const archive::ForeignResult& result : results) {
    const auto time = [](const std::optional<double>& ms) { return ms ? foreign::latency_text(*ms) : std::string(); };
    table.add({result.id,
               result.definition,
               result.solution,
               {result.outcome, result.outcome == "measured" ? Tone::plain : Tone::bad},
               time(result.latency_ms),
               time(result.reference_latency_ms),
               result.origin,
               result.time});
  }
  return "\n" + table.render(colour, 2) + "  measured by others, and not judged here\n";
}

}  // namespace assay::cli
