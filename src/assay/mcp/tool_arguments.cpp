#include <assay/mcp/tool_arguments.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include <assay/mcp/told.hpp>
#include <assay/mcp/tool_list.hpp>
#include <assay/task/decoder.hpp>

namespace assay::mcp {
namespace {

using task::Fields;
using task::Node;

constexpr std::size_t kLongestName = 100;
constexpr std::size_t kLongestProblem = 600;
constexpr int kUsualFound = 20;
constexpr int kLargestNumber = 1'000'000;

template <class Read>
auto read_arguments(const base::Json& arguments, Read&& read) {
  auto result = task::as_result(task::decode_whole(arguments, task::Coercion::strict,
                                                   [&](const Node& node) {
                                                     Fields fields(node);
                                                     auto value = read(fields);
                                                     fields.refuse_others();
                                                     return value;
                                                   }),
                                "arguments");
  if (!result) {
    result.error().code = "mcp.arguments";
    result.error().message = safe_line(result.error().message, kLongestProblem);
  }
  return result;
}

std::string bounded(const Node& node, std::size_t longest) {
  std::string text = node.text(node.present() ? task::TextRule::non_empty : task::TextRule::any);
  if (text.size() > longest) {
    node.problem(fmt::format("is longer than {} bytes: say it shorter", longest));
  }
  return text;
}

std::string claim(const Node& node, const char* otherwise) {
  const std::string text = safe_line(bounded(node, kLongestClaimText), kLongestClaimText);
  return node.has_value() ? text : otherwise;
}

int number(const Node& node, int least, int most, int otherwise) {
  return node.has_value() ? static_cast<int>(node.integer({least, most})) : otherwise;
}

int limit(Fields& fields) { return number(fields.optional("limit"), 1, kMostFound, kUsualFound); }

agent::Hypothesis stated(const Node& regime, const Node& resource, const Node& change, const Node& effect) {
  return {claim(regime, "all"), claim(resource, "unknown"), claim(change, "not stated"), claim(effect, "not stated")};
}

}  // namespace

base::Result<void> read_nothing(const base::Json& arguments) {
  ASSAY_TRY(read_arguments(arguments, [](Fields& /*fields*/) { return 0; }));
  return {};
}

base::Result<SubmitArguments> read_submission(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) {
    SubmitArguments given;
    for (const Node& item : fields.required("sources").items(1)) {
      Fields source(item);
      given.submission.sources.push_back(
          {bounded(source.required("path"), kLongestName), source.required("content").text()});
      source.refuse_others();
    }
    const Node hypothesis = fields.optional("hypothesis");
    const Node regime = fields.optional("regime");
    const Node resource = fields.optional("limiting_resource");
    const Node change = fields.optional("change");
    const Node effect = fields.optional("predicted_effect");
    if (hypothesis.has_value()) {
      given.hypothesis_id = bounded(hypothesis, kLongestName);
      for (const Node* node : {&regime, &resource, &change, &effect}) {
        if (node->has_value()) {
          node->problem("is stated by /hypothesis already: leave one of them out");
        }
      }
    }
    given.submission.hypothesis = stated(regime, resource, change, effect);
    if (const Node parent = fields.optional("parent"); parent.has_value()) {
      given.submission.parent = number(parent, 0, kLargestNumber, 0);
    }
    return given;
  });
}

base::Result<WaitArguments> read_wait(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) {
    WaitArguments given;
    given.job = bounded(fields.required("job"), kLongestName);
    given.max_seconds = number(fields.optional("max_seconds"), 1, kLongestWait, kUsualWait);
    return given;
  });
}

base::Result<ResultArguments> read_result(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) {
    ResultArguments given;
    const Node job = fields.optional("job");
    const Node candidate = fields.optional("candidate");
    if (job.has_value() == candidate.has_value()) {
      (candidate.present() ? candidate : fields.required("job")).problem("give either job or candidate");
    }
    if (job.has_value()) {
      given.job = bounded(job, kLongestName);
    }
    if (candidate.has_value()) {
      given.candidate = number(candidate, 0, kLargestNumber, 0);
    }
    return given;
  });
}

base::Result<int> read_candidate(const base::Json& arguments) {
  return read_arguments(arguments,
                        [](Fields& fields) { return number(fields.required("candidate"), 0, kLargestNumber, 0); });
}

base::Result<PairArguments> read_pair(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) {
    PairArguments given;
    given.first = number(fields.required("first"), 0, kLargestNumber, 0);
    given.second = number(fields.required("second"), 0, kLargestNumber, 0);
    return given;
  });
}

base::Result<int> read_limit(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) { return limit(fields); });
}

base::Result<SearchArguments> read_search(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) {
    SearchArguments given;
    given.query = bounded(fields.required("query"), kLongestQuery);
    given.limit = limit(fields);
    return given;
  });
}

base::Result<agent::Hypothesis> read_hypothesis_arguments(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) {
    const Node regime = fields.required("regime");
    const Node resource = fields.required("limiting_resource");
    const Node change = fields.required("change");
    return stated(regime, resource, change, fields.required("predicted_effect"));
  });
}

}  // namespace assay::mcp
