#include <assay/mcp/tool_arguments.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include <assay/agent/stated_hypothesis.hpp>
#include <assay/base/json.hpp>
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

constexpr double kLargestPrediction = 1000;

// Into what an agent's own hypothesis.json would say: one rule reads both.
void add_prediction(const Node& node, base::Json& json) {
  if (!node.has_value()) {
    return;
  }
  Fields fields(node);
  for (const char* bound : {"at_least", "at_most"}) {
    if (const Node value = fields.optional(bound); value.has_value()) {
      const double speedup = value.number();
      if (!(speedup >= 1 && speedup <= kLargestPrediction)) {
        value.problem(fmt::format("must lie between 1 and {}: how many times as fast", kLargestPrediction));
      }
      json["predicted_speedup"][bound] = speedup;
    }
  }
  fields.refuse_others();
}

// The fields of a hypothesis, of which `required` must be there: what is claimed, and what the campaign's memory can hold
// against a measurement, for which there must be a mechanism.
struct HypothesisFields {
  explicit HypothesisFields(Fields& fields, bool required)
      : regime(required ? fields.required("regime") : fields.optional("regime")),
        resource(required ? fields.required("limiting_resource") : fields.optional("limiting_resource")),
        change(required ? fields.required("change") : fields.optional("change")),
        effect(required ? fields.required("predicted_effect") : fields.optional("predicted_effect")),
        mechanism(fields.optional("mechanism")),
        prediction(fields.optional("predicted_speedup")),
        differs(fields.optional("differs")) {}

  [[nodiscard]] service::StatedClaim read() const {
    service::StatedClaim hypothesis{
        {claim(regime, "all"), claim(resource, "unknown"), claim(change, "not stated"), claim(effect, "not stated")}};
    base::Json json = {{"regime", hypothesis.claim.regime}, {"limiting_resource", hypothesis.claim.limiting_resource},
                       {"change", hypothesis.claim.change}, {"predicted_effect", hypothesis.claim.predicted_effect},
                       {"mechanism", claim(mechanism, "")}, {"differs", claim(differs, "")}};
    add_prediction(prediction, json);
    hypothesis.stated = agent::parse_stated_hypothesis(base::dump_compact(json));
    return hypothesis;
  }

  Node regime;
  Node resource;
  Node change;
  Node effect;
  Node mechanism;
  Node prediction;
  Node differs;
};

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
    const HypothesisFields own(fields, false);
    if (hypothesis.has_value()) {
      given.hypothesis_id = bounded(hypothesis, kLongestName);
      for (const Node* node :
           {&own.regime, &own.resource, &own.change, &own.effect, &own.mechanism, &own.prediction, &own.differs}) {
        if (node->has_value()) {
          node->problem("is stated by /hypothesis already: leave one of them out");
        }
      }
    }
    service::StatedClaim stated = own.read();
    given.submission.hypothesis = std::move(stated.claim);
    given.submission.stated = std::move(stated.stated);
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

base::Result<service::StatedClaim> read_hypothesis_arguments(const base::Json& arguments) {
  return read_arguments(arguments, [](Fields& fields) { return HypothesisFields(fields, true).read(); });
}

}  // namespace assay::mcp
