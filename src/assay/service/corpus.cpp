#include <assay/service/corpus.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <system_error>

#include <assay/base/device_name.hpp>
#include <assay/base/text.hpp>
#include <assay/task/probe.hpp>

namespace assay::service {
namespace {

constexpr std::string_view kMark = "// assay-corpus:";
constexpr std::uint64_t kLargestSource = std::uint64_t{1} << 20U;
constexpr int kMostSamples = 10000;
constexpr const char* kRemedy =
    "begin the file with a line like \"// assay-corpus: number=16 kind=hostile expect=incorrect probe=fresh_contents\"";

base::Error bad_head(const os::Path& file, const std::string& what) {
  return base::input_error("corpus.head", fmt::format("{}:1: {}", file.string(), what)).value();
}

std::string choices(const std::vector<std::string>& known, std::string_view given) {
  const std::string near = base::nearest(given, known);
  return near.empty() ? "use one of " + base::join(known, ", ") : fmt::format("did you mean \"{}\"?", near);
}

base::Result<int> number_of(const os::Path& file, const std::string& key, const std::string& text, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most) {
    return tl::unexpected(bad_head(
        file, fmt::format("{}={} is not a number from 1 to {}: correct it", key, base::printable(text), most)));
  }
  return number;
}

base::Result<std::vector<task::Outcome>> outcomes_of(const os::Path& file, const std::string& text) {
  std::vector<task::Outcome> outcomes;
  for (const std::string& word : base::split(text, '|')) {
    const std::optional<task::Outcome> outcome = task::parse_outcome(word);
    if (!outcome) {
      std::vector<std::string> known;
      for (const task::Outcome one : task::all_outcomes()) {
        known.emplace_back(task::to_string(one));
      }
      return tl::unexpected(
          bad_head(file, fmt::format("expect={} is no outcome; {}", base::printable(word), choices(known, word))));
    }
    outcomes.push_back(*outcome);
  }
  return outcomes;
}

// One that is known, or several that can each be switched off.
base::Result<void> check_probes(const os::Path& file, const std::string& text) {
  const std::vector<std::string> words = base::split(text, '|');
  const std::vector<std::string>& known = known_probes();
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      return tl::unexpected(
          bad_head(file, fmt::format("probe={} is not known; {}", base::printable(word), choices(known, word))));
    }
    if (words.size() > 1 && !task::probe_named(word)) {
      return tl::unexpected(bad_head(
          file, fmt::format("probe={} cannot be switched off, so that no other probe stands beside it: leave the "
                            "others out",
                            word)));
    }
  }
  return {};
}

// One "key=value" of the head.
base::Result<void> take(CorpusEntry& entry, const std::string& key, const std::string& value) {
  if (key == "kind") {
    if (value != "hostile" && value != "honest") {
      return tl::unexpected(
          bad_head(entry.file, fmt::format("kind={} must be hostile or honest", base::printable(value))));
    }
    entry.kind = value == "hostile" ? EntryKind::hostile : EntryKind::honest;
  } else if (key == "number") {
    ASSAY_TRY_ASSIGN(entry.number, number_of(entry.file, key, value, 999));
  } else if (key == "samples") {
    ASSAY_TRY_ASSIGN(entry.samples, number_of(entry.file, key, value, kMostSamples));
  } else if (key == "expect") {
    ASSAY_TRY_ASSIGN(entry.expected, outcomes_of(entry.file, value));
  } else if (key == "stage") {
    if (value != "measure" && value != "gate") {
      return tl::unexpected(
          bad_head(entry.file, fmt::format("stage={} must be measure or gate", base::printable(value))));
    }
    entry.stage = value == "gate" ? task::Stage::gate : task::Stage::measure;
  } else if (key == "plan") {
    if (!value.ends_with(".json") || value.find('/') != std::string::npos || entry.file.extension() != ".cu") {
      return tl::unexpected(bad_head(
          entry.file, fmt::format("plan={} must be the name of a launch plan, NAME.json, and the file CUDA (.cu)",
                                  base::printable(value))));
    }
    entry.plan = value;
  } else if (key == "probe") {
    ASSAY_TRY(check_probes(entry.file, value));
    entry.probe = value;
  } else {
    return tl::unexpected(bad_head(
        entry.file, fmt::format("\"{}\" is no word of a head; {}", base::printable(key),
                                choices({"kind", "number", "expect", "probe", "stage", "samples", "plan"}, key))));
  }
  return {};
}

base::Result<void> complete(CorpusEntry& entry, bool has_kind) {
  if (!has_kind) {
    return tl::unexpected(bad_head(entry.file, "the head lacks kind=hostile or kind=honest: add it"));
  }
  if (entry.kind == EntryKind::hostile) {
    const char* missing = entry.number == 0        ? "number=N of its entry in docs/hostile-corpus.md"
                          : entry.expected.empty() ? "expect=OUTCOME"
                          : entry.probe.empty()    ? "probe=NAME, or probe=none"
                                                   : nullptr;
    if (missing != nullptr) {
      return tl::unexpected(bad_head(entry.file, fmt::format("a hostile candidate needs {}: add it", missing)));
    }
    return {};
  }
  if (!entry.expected.empty() || entry.number != 0 || !entry.probe.empty()) {
    return tl::unexpected(
        bad_head(entry.file, "an honest candidate must pass: it takes no number, expect or probe; remove them"));
  }
  entry.probe = "none";
  entry.expected = {task::Outcome::measured};
  if (entry.stage == task::Stage::gate) {
    entry.expected = {task::Outcome::not_better, task::Outcome::indistinguishable, task::Outcome::better};
  }
  return {};
}

base::Result<void> read_head(CorpusEntry& entry, const std::vector<std::string>& lines) {
  const std::string_view first = lines.empty() ? std::string_view() : std::string_view(lines.front());
  if (!first.starts_with(kMark)) {
    return tl::unexpected(bad_head(entry.file, fmt::format("no head: {}", kRemedy)));
  }
  std::vector<std::string> seen;
  for (const std::string& word : base::split(first.substr(kMark.size()), ' ')) {
    if (base::trim(word).empty()) {
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (equals == std::string::npos || std::find(seen.begin(), seen.end(), key) != seen.end()) {
      return tl::unexpected(
          bad_head(entry.file,
                   fmt::format("\"{}\" is {}: {}", base::printable(word),
                               equals == std::string::npos ? "not of the form word=value" : "there twice", kRemedy)));
    }
    seen.push_back(key);
    ASSAY_TRY(take(entry, key, std::string(base::trim(word.substr(equals + 1)))));
  }
  for (std::size_t i = 1; i < lines.size() && lines[i].starts_with("//"); ++i) {
    const std::string sentence(base::trim(std::string_view(lines[i]).substr(2)));
    entry.description += (entry.description.empty() || sentence.empty() ? "" : " ") + sentence;
  }
  if (entry.description.empty()) {
    return tl::unexpected(
        bad_head(entry.file, "the head must be followed by comment lines that say what the candidate does: add them"));
  }
  return complete(entry, std::find(seen.begin(), seen.end(), "kind") != seen.end());
}

std::optional<os::Path> find_beside(const os::Path& file, const std::string& name) {
  for (const os::Path& folder : {file.parent_path(), file.parent_path() / ".."}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(folder / name, error)) {
      return folder / name;
    }
  }
  return std::nullopt;
}

// Headers by a plain name only: the compiler has the last word on everything else.
base::Result<void> take_headers(CorpusEntry& entry, const std::vector<std::string>& lines) {
  constexpr std::string_view kInclude = "#include \"";
  for (const std::string& line : lines) {
    if (!line.starts_with(kInclude)) {
      continue;
    }
    const std::string name = line.substr(kInclude.size(), line.find('"', kInclude.size()) - kInclude.size());
    if (name.empty() || name.find('/') != std::string::npos) {
      continue;
    }
    if (const std::optional<os::Path> file = find_beside(entry.file, name)) {
      ASSAY_TRY_ASSIGN(std::string content, os::read_file(*file, kLargestSource));
      entry.solution.sources.push_back({name, std::move(content)});
    }
  }
  return {};
}

base::Result<void> take_plan(CorpusEntry& entry) {
  if (entry.plan.empty()) {
    return {};
  }
  const std::optional<os::Path> file = find_beside(entry.file, entry.plan);
  if (!file) {
    return tl::unexpected(bad_head(entry.file, fmt::format("plan={} is neither in this file's folder nor in the one "
                                                           "above: add it",
                                                           base::printable(entry.plan))));
  }
  ASSAY_TRY_ASSIGN(std::string content, os::read_file(*file, kLargestSource));
  entry.solution.sources.push_back({"launch.json", std::move(content)});
  entry.solution.spec.entry_point = "launch.json::run";
  return {};
}

bool is_source(const os::Path& name) {
  return name.extension() == ".cpp" || name.extension() == ".c" || name.extension() == ".cc" ||
         name.extension() == ".cu";
}

}  // namespace

std::string_view to_string(EntryKind kind) { return kind == EntryKind::hostile ? "hostile" : "honest"; }

const std::vector<std::string>& known_probes() {
  static const std::vector<std::string> names = [] {
    const std::span<const std::string_view> probes = task::probe_names();
    std::vector<std::string> all(probes.begin(), probes.end());
    all.insert(all.end(), {"sandbox", "limits", "protocol", "build", "load", "none"});
    return all;
  }();
  return names;
}

task::ProbeSet probes_of(const CorpusEntry& entry) {
  task::ProbeSet probes;
  for (const std::string& word : base::split(entry.probe, '|')) {
    if (const std::optional<task::Probe> probe = task::probe_named(word)) {
      probes.insert(*probe);
    }
  }
  return probes;
}

base::Result<CorpusEntry> read_corpus_entry(const os::Path& file, const std::string& definition) {
  CorpusEntry entry;
  entry.file = file;
  entry.name = file.stem().string();
  ASSAY_TRY_ASSIGN(std::string content, os::read_file(file, kLargestSource));
  const std::vector<std::string> lines = base::split(content, '\n');
  ASSAY_TRY(read_head(entry, lines));
  task::Solution& solution = entry.solution;
  solution.name = entry.name;
  solution.definition = definition;
  solution.author = "self-test";
  solution.description = entry.description;
  const bool is_cuda = file.extension() == ".cu";
  solution.spec.language = is_cuda ? task::Language::cuda : task::Language::cpp;
  solution.spec.target_hardware = {is_cuda ? "cuda" : "cpu"};
  const std::string packed = "kernel" + file.extension().string();
  solution.spec.entry_point = packed + "::run";
  solution.sources.push_back({packed, std::move(content)});
  ASSAY_TRY(take_headers(entry, lines));
  ASSAY_TRY(take_plan(entry));
  return entry;
}

base::Result<std::vector<CorpusEntry>> read_corpus(const os::Path& folder, const std::string& definition) {
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder));
  std::vector<CorpusEntry> entries;
  for (const std::string& name : names) {
    if (is_source(name)) {
      ASSAY_TRY_ASSIGN(CorpusEntry entry, read_corpus_entry(folder / name, definition));
      entries.push_back(std::move(entry));
    }
  }
  if (entries.empty()) {
    return base::input_error("corpus.empty",
                             fmt::format("{}: there is no .cpp, .cc, .c or .cu file in this folder; name a "
                                         "folder with candidates, like tests/hostile",
                                         folder.string()));
  }
  return entries;
}

std::vector<os::Path> default_corpora(const os::Path& working_directory, const os::Path& program_directory,
                                      const std::string& device) {
  const std::optional<base::DeviceName> name = base::parse_device_name(device);
  const std::string suffix = name && name->kind == base::DeviceName::Kind::cuda ? "_cuda" : "";
  const std::string hostile = "hostile" + suffix;
  const std::string honest = "honest" + suffix;
  std::vector<os::Path> roots;
  for (os::Path folder = working_directory; !folder.empty(); folder = folder.parent_path()) {
    roots.push_back(folder / "tests");
    if (folder == folder.root_path()) {
      break;
    }
  }
  roots.push_back((program_directory / ".." / ".." / ".." / "tests").lexically_normal());
  roots.push_back((program_directory / ".." / "share" / "assay" / "corpus").lexically_normal());
  for (const os::Path& root : roots) {
    std::error_code error;
    if (std::filesystem::is_directory(root / hostile, error) && std::filesystem::is_directory(root / honest, error)) {
      return {root / hostile, root / honest};
    }
  }
  return {};
}

}  // namespace assay::service
