#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/task/solution.hpp>

namespace assay::archive {

/// One result that somebody else measured. It is evidence of what others found, and never a verdict of ours.
struct ForeignResult {
  std::string id;  ///< Unique in its import.
  std::string definition;
  std::string solution;                   ///< The name that its author gave; may be empty.
  std::optional<base::Digest> candidate;  ///< Content digest, if the import holds the solution.
  std::optional<base::Digest> source;     ///< Of the bytes, as the import has it.
  std::string outcome;                    ///< "measured", or what it failed of, in the import's words.
  std::optional<double> latency_ms;
  std::optional<double> reference_latency_ms;
  std::string workload;  ///< Its uuid; empty: the latencies are means over all.
  std::string time;      ///< As recorded; may be empty.
  std::string origin;    ///< The import's name; filled in by the archive.
};

/// A set of foreign results as it was taken in.
struct Import {
  base::Digest digest;   ///< Of the names and bytes of its files.
  std::string kind;      ///< "optimisation_traces" or "flashinfer_traces"; persisted.
  std::string name;      ///< For people.
  std::string imported;  ///< UTC.
  std::size_t results = 0;
  std::size_t candidates = 0;  ///< Solutions with sources, recorded as candidates that were never judged.
  bool fresh = false;          ///< Taken in just now, rather than there already.
};

/// What to take in.
struct NewImport {
  std::string kind;
  std::string name;
  std::vector<std::pair<std::string, std::string>> files;  ///< Names and bytes, kept as they are.
  std::vector<task::Solution> solutions;
  std::vector<ForeignResult> results;
};

}  // namespace assay::archive
