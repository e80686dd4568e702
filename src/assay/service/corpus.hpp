#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/service/places.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/probe.hpp>
#include <assay/task/request.hpp>
#include <assay/task/solution.hpp>

namespace assay::service {

/// What a candidate of the corpus is for. Spelled "hostile" and "honest" in heads and in JSON.
enum class EntryKind : std::uint8_t {
  hostile,  ///< A cheat or an honest mistake: it must get one of its outcomes.
  honest,   ///< Odd but legal: it must pass.
};

[[nodiscard]] std::string_view to_string(EntryKind kind);

/// A candidate with a known answer: one C, C++ or CUDA file, whose first line says all that is known about it:
///
///     // assay-corpus: number=16 kind=hostile expect=incorrect probe=fresh_contents
///
/// `kind` is required; a hostile one also has the `number` of its entry in docs/hostile-corpus.md, what to `expect`
/// (outcomes, separated by '|' where physics decides) and the `probe` that catches it (separated by '|' where each of
/// several does: each must be one that can be switched off). An honest one expects
/// "measured", or with stage=gate any outcome that counts as correct. `stage` is measure (default) or gate: against the
/// dataset's baseline. `samples` asks for more timed calls. `plan` names a launch plan, and makes it device-only. The comment lines that follow say what it does and why.
struct CorpusEntry {
  std::string name;  ///< The file's name without its extension.
  os::Path file;
  EntryKind kind = EntryKind::hostile;
  int number = 0;  ///< In the catalogue; 0 for honest ones.
  std::vector<task::Outcome> expected;
  std::string probe;  ///< Of known_probes(), as in the head.
  task::Stage stage = task::Stage::measure;
  std::string plan;  ///< File name of its launch plan, from its folder or the one above; empty: it has host code.
  int samples = 0;   ///< Timed calls of each workload in a process pair; 0: as usual.
  std::string description;
  task::Solution solution;
};

/// Lists the names that a head may give as its probe: those of the judge (task/probe.hpp), which --ablate switches off,
/// and sandbox, limits, protocol, build, load and none, which cannot be switched off.
[[nodiscard]] const std::vector<std::string>& known_probes();

/// The probes that --ablate switches off for an entry: all that its head names; none if nothing there can be.
[[nodiscard]] task::ProbeSet probes_of(const CorpusEntry& entry);

/// Reads one candidate. Headers that it includes by name in quotes are taken along from its folder or the one above. A
/// head that is missing or wrong is an input error that names the file, the word and the remedy.
[[nodiscard]] base::Result<CorpusEntry> read_corpus_entry(const os::Path& file, const std::string& definition);

/// Reads all C, C++ and CUDA files of a folder, by name. A folder without any is an input error.
[[nodiscard]] base::Result<std::vector<CorpusEntry>> read_corpus(const os::Path& folder, const std::string& definition);

/// Finds the corpora that come with Assay for a device: tests/hostile and tests/honest, on a CUDA device
/// tests/hostile_cuda and tests/honest_cuda, in the working directory or the nearest folder above it, then beside the
/// build tree or the installation. Empty if there are none.
[[nodiscard]] std::vector<os::Path> default_corpora(const os::Path& working_directory,
                                                    const os::Path& program_directory, const std::string& device);

}  // namespace assay::service
