#pragma once

#include <optional>
#include <string>

#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/submissions.hpp>

/// Reads what callers give to tools. Anybody may write these; all of it is bounded (tool_list.hpp), unknown fields are refused,
/// and an error names the field and the remedy.
namespace assay::mcp {

struct SubmitArguments {
  service::Submission submission;
  std::optional<std::string> hypothesis_id;
};
struct WaitArguments {
  std::string job;
  int max_seconds = 0;
};
/// One of the two.
struct ResultArguments {
  std::optional<std::string> job;
  std::optional<int> candidate;
};
struct PairArguments {
  int first = 0;
  int second = 0;
};
struct SearchArguments {
  std::string query;
  int limit = 0;
};

[[nodiscard]] base::Result<void> read_nothing(const base::Json& arguments);
[[nodiscard]] base::Result<SubmitArguments> read_submission(const base::Json& arguments);
[[nodiscard]] base::Result<WaitArguments> read_wait(const base::Json& arguments);
[[nodiscard]] base::Result<ResultArguments> read_result(const base::Json& arguments);
[[nodiscard]] base::Result<int> read_candidate(const base::Json& arguments);
[[nodiscard]] base::Result<PairArguments> read_pair(const base::Json& arguments);
[[nodiscard]] base::Result<int> read_limit(const base::Json& arguments);
[[nodiscard]] base::Result<SearchArguments> read_search(const base::Json& arguments);
[[nodiscard]] base::Result<service::StatedClaim> read_hypothesis_arguments(const base::Json& arguments);

}  // namespace assay::mcp
