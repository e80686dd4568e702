#include <assay/cli/print_dataset.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

using report::Align;
using report::Table;
using report::Tone;

std::string counted_files(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string lengths_text(const dataset::DefinitionCheck& check) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view where) {
    if (count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, where);
    }
  };
  add(check.lengths_from_blobs, "from blobs");
  add(check.lengths_from_file, "from lengths/");
  add(check.lengths_generated, "generated");
  return text.empty() ? "-" : text;
}

}  // namespace

std::string print_dataset_check(const dataset::DatasetCheck& check, report::Colour colour) {
  Table table({{"definition", Align::left, 70},
               {"op type"},
               {"workloads", Align::right},
               {"solutions", Align::right},
               {"blobs", Align::right},
               {"lengths"},
               {"problems", Align::right}});
  std::string problems;
  const auto tell = [&](const std::vector<base::Error>& errors) {
    for (const base::Error& error : errors) {
      problems += base::printable(error.text()) + "\n";
    }
  };
  tell(check.problems);
  for (const dataset::DefinitionCheck& one : check.definitions) {
    table.add({one.name,
               one.op_type,
               std::to_string(one.workloads),
               std::to_string(one.solutions),
               one.blobs_named == 0 ? std::string("-") : fmt::format("{} of {}", one.blobs_present, one.blobs_named),
               lengths_text(one),
               {std::to_string(one.problems.size()), one.problems.empty() ? Tone::good : Tone::bad}});
    tell(one.problems);
  }
  const std::size_t count = check.problem_count();
  return table.render(colour) + "\n" + problems +
         fmt::format("{}: {}\n", check.root.string(), count == 0 ? "all sound" : counted_files(count, "problem"));
}

std::string print_materialise(const service::MaterialiseReport& report) {
  std::uint64_t bytes = 0;
  for (const service::MaterialisedFile& file : report.files) {
    bytes += file.bytes;
  }
  std::string text;
  if (report.files.size() == 1) {
    text = fmt::format("{}\n", (report.folder / report.files.front().path).string());
  }
  text += fmt::format("wrote {} ({}) below {}, seed {}\n", counted_files(report.files.size(), "file"),
                      base::human_bytes(bytes), report.folder.string(), report.seed);
  if (report.kept > 0) {
    text += fmt::format("kept {} that {} there: --force writes {} anew\n", counted_files(report.kept, "file"),
                        report.kept == 1 ? "was" : "were", report.kept == 1 ? "it" : "them");
  }
  return base::printable(text);
}

}  // namespace assay::cli
