#include <assay/mcp/tool_list.hpp>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace assay::mcp {
namespace {

using base::Json;

Json typed(const char* type, const char* description = nullptr) {
  Json json = {{"type", type}};
  if (description != nullptr) {
    json["description"] = description;
  }
  return json;
}

Json text(const char* description, int longest = 0) {
  Json json = typed("string", description);
  if (longest > 0) {
    json["maxLength"] = longest;
  }
  return json;
}

Json whole(const char* description, int least, int most) {
  Json json = typed("integer", description);
  json["minimum"] = least;
  json["maximum"] = most;
  return json;
}

Json or_null(const char* type, const char* description = nullptr) {
  Json json = {{"type", Json::array({type, "null"})}};
  if (description != nullptr) {
    json["description"] = description;
  }
  return json;
}

Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

// An object with these fields and no others; what is not among `optional` must be there.
Json object(const std::vector<std::pair<const char*, Json>>& fields, const std::vector<std::string>& optional = {}) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const auto& [name, schema] : fields) {
    properties[name] = schema;
    if (std::find(optional.begin(), optional.end(), name) == optional.end()) {
      required.push_back(name);
    }
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json nullable(Json schema) {
  schema["type"] = Json::array({"object", "null"});
  return schema;
}

Json sources() {
  return list_of(object({{"path", typed("string", "Relative, with / between folders")}, {"content", typed("string")}}));
}

Json effect() {
  return nullable(object({{"estimate", typed("number", "How many times as fast; above 1 is faster")},
                          {"lower", or_null("number")},
                          {"upper", or_null("number")}}));
}

// As told.hpp writes a candidate.
std::vector<std::pair<const char*, Json>> candidate_fields() {
  return {{"candidate", typed("integer", "Its number; 0 is the baseline")},
          {"name", typed("string")},
          {"round", typed("integer")},
          {"parent", or_null("integer")},
          {"change", typed("string", "What its author said, never evidence")},
          {"regime", typed("string")},
          {"outcome", or_null("string", "null: not judged yet")},
          {"explanation", typed("string")},
          {"effect", effect()},
          {"promoted", typed("boolean")},
          {"duplicate_of", or_null("integer")}};
}

Json candidates() { return object({{"candidates", list_of(object(candidate_fields()))}, {"more", typed("integer")}}); }

// As routes.hpp writes one.
Json route() {
  return object({{"hypothesis", typed("integer")},
                 {"candidate", typed("integer", "That tested it")},
                 {"regime", typed("string")},
                 {"mechanism", typed("string")},
                 {"change", typed("string", "What its author said, never evidence")},
                 {"predicted", typed("string")},
                 {"measured", effect()},
                 {"standing", typed("string",
                                    "closed, closed_by_person, other_environment, or other_incumbent: the last "
                                    "two may be tried again")},
                 {"why", typed("string")},
                 {"again", typed("string", "When it may be tried again")}});
}

Json failed() {
  return object({{"routes", list_of(route())},
                 {"candidates", list_of(object(candidate_fields()))},
                 {"more", typed("integer", "Candidates that are left out")}});
}

// As profile.hpp writes it.
Json profile() {
  const Json timing = object({{"regime", typed("string")},
                              {"candidate_us", or_null("number")},
                              {"incumbent_us", or_null("number")},
                              {"floor_us", or_null("number", "What its least work takes on this device")},
                              {"share_of_floor", or_null("number", "1 is at the roofline")},
                              {"limited_by", or_null("string", "memory or arithmetic")}});
  const Json kernel = object({{"name", typed("string")},
                              {"registers", typed("integer", "Of one thread")},
                              {"stack_bytes", typed("integer")},
                              {"spill_store_bytes", typed("integer")},
                              {"spill_load_bytes", typed("integer")},
                              {"shared_bytes", typed("integer", "Of one block, without what a launch adds")},
                              {"barriers", typed("integer")}});
  return nullable(object({{"timer_floor_us", typed("number", "An empty call by the same clock")},
                          {"workloads", list_of(timing)},
                          {"kernels", list_of(kernel)},
                          {"not_measured", list_of(typed("string"))}}));
}

Json job_answer() {
  std::vector<std::pair<const char*, Json>> fields = {
      {"job", or_null("string")},
      {"stage", typed("string", "queued, judging, after_run, stalled, awaiting_approval, judged, or not_judged")},
      {"judged", typed("boolean", "Whether this answer is final")},
      {"trouble", or_null("string", "What the machine's trouble is; never the candidate's")},
      {"result", nullable(object(candidate_fields()))},
      {"sweep", nullable(object({{"verdict", typed("string")}, {"speedup", effect()}}))},
      {"compiler_errors", list_of(typed("string"))}};
  return object(fields);
}

enum class Effect : std::uint8_t { reads, adds };

Json tool(const char* name, const char* title, const char* description, Json input, Json output, Effect effect) {
  return {{"name", name},
          {"title", title},
          {"description", description},
          {"inputSchema", std::move(input)},
          {"outputSchema", std::move(output)},
          {"annotations",
           {{"title", title},
            {"readOnlyHint", effect == Effect::reads},
            {"destructiveHint", false},
            {"idempotentHint", effect == Effect::reads},
            {"openWorldHint", false}}}};
}

Json hypothesis_fields_of(Json schema) {
  schema["properties"]["regime"] = text("Which regime it is about, or \"all\"", kLongestClaimText);
  schema["properties"]["limiting_resource"] = text("What limits that regime", kLongestClaimText);
  schema["properties"]["change"] = text("What is changed, in one sentence", kLongestClaimText);
  schema["properties"]["predicted_effect"] = text("What you expect to be measured, in words", kLongestClaimText);
  schema["properties"]["mechanism"] = text(
      "What it acts through, in two or three words; with it the measurement is held against the hypothesis, and a "
      "route that "
      "failed is closed",
      kLongestClaimText);
  schema["properties"]["predicted_speedup"] =
      object({{"at_least", typed("number", "Times as fast as the incumbent; from 1")}, {"at_most", typed("number")}},
             {"at_least", "at_most"});
  schema["properties"]["differs"] =
      text("Only where mechanism and regime are a closed route: what is different now", kLongestClaimText);
  return schema;
}

Json make_list() {
  const Json job = text("As submit_candidate returned it", 100);
  const Json number = whole("A candidate's number; 0 is the baseline", 0, 1'000'000);
  Json submit = object({{"sources", sources()},
                        {"hypothesis", text("As propose_hypothesis returned it; else state it here", 100)},
                        {"parent", whole("The candidate that it was made from", 0, 1'000'000)}},
                       {"hypothesis", "parent"});
  Json propose = hypothesis_fields_of(object({}));
  propose["required"] = Json::array({"regime", "limiting_resource", "change", "predicted_effect"});
  return Json::array(
      {tool("get_task", "The task",
            "What is to be made faster: the definition with its reference, the device, what a candidate must look "
            "like, and "
            "the sources to begin with.",
            object({}),
            object({{"definition", typed("object")},
                    {"device", typed("string")},
                    {"entry_point", typed("string")},
                    {"language", typed("string")},
                    {"begin_with", object({{"candidate", typed("integer")}, {"sources", sources()}})},
                    {"rules", list_of(typed("string"))}}),
            Effect::reads),
       tool("get_state", "The campaign's state",
            "How the campaign stands: its phase, the incumbent, the regimes with their share of the time, what waits "
            "to be "
            "judged, and how many submissions are left.",
            object({}),
            object({{"campaign", typed("string")},
                    {"phase", typed("string")},
                    {"incumbent", typed("integer", "0 is the baseline")},
                    {"awaiting_approval", or_null("integer")},
                    {"candidates", typed("integer")},
                    {"regimes", list_of(object({{"name", typed("string")},
                                                {"workloads", typed("integer")},
                                                {"baseline_us", typed("number")},
                                                {"latency_share", typed("number")}}))},
                    {"waiting", list_of(typed("string"))},
                    {"submissions_left", typed("integer")},
                    {"confirmed", effect()},
                    {"trouble", or_null("string")}}),
            Effect::reads),
       tool("submit_candidate", "Submit a candidate",
            "Submits all source files of one candidate. Answers at once with a job: it is built, checked against a "
            "reference, "
            "and timed against the incumbent elsewhere, one after the other. Then call wait_for_job.",
            hypothesis_fields_of(std::move(submit)),
            object({{"job", typed("string")},
                    {"ahead", typed("integer", "Jobs that are judged before it")},
                    {"submissions_left", typed("integer")}}),
            Effect::adds),
       tool("wait_for_job", "Wait for a job",
            "Waits a little for a job and says how it went, or how it stands when the time is up: call it again then.",
            object({{"job", job}, {"max_seconds", whole("How long to wait", 1, kLongestWait)}}, {"max_seconds"}),
            job_answer(), Effect::reads),
       tool("get_result", "A candidate's result",
            "What became of a job, or of a candidate by its number: outcome, measured effect, the compiler's errors.",
            object({{"job", job}, {"candidate", number}}, {"job", "candidate"}), job_answer(), Effect::reads),
       tool("get_profile", "Where a candidate's time goes",
            "The measured speed of a candidate against the incumbent of its time, regime by regime; its latencies "
            "beside "
            "the roofline's floor, what limits that, the registers and spills of its kernels, and what was not "
            "measured.",
            object({{"candidate", number}}),
            object({{"candidate", typed("integer")},
                    {"regimes", list_of(object({{"name", typed("string")},
                                                {"workloads_timed", typed("integer")},
                                                {"speedup", typed("number")}}))},
                    {"profile", profile()},
                    {"note", typed("string")}}),
            Effect::reads),
       tool("compare", "Compare two candidates",
            "Holds what was measured of two candidates against each other. Nothing is run; a promotion needs a sweep.",
            object({{"first", number}, {"second", number}}),
            object({{"first", typed("integer")},
                    {"second", typed("integer")},
                    {"relation", typed("string", "second_faster, second_slower, cannot_be_told, or not_measured")},
                    {"second_over_first", effect()},
                    {"note", typed("string")}}),
            Effect::reads),
       tool("list_failed_routes", "What did not work",
            "Routes that are closed or were, with what they measured and when they may be tried again; and candidates "
            "that "
            "failed or were not better. The newest first. What repeats a closed route and does not say what differs is "
            "refused.",
            object({{"limit", whole("How many at most", 1, kMostFound)}}, {"limit"}), failed(), Effect::reads),
       tool("search_history", "Search what was tried",
            "Candidates whose name, change, regime or outcome has these words, the newest first.",
            object({{"query", text("Words; case does not matter", kLongestQuery)},
                    {"limit", whole("How many at most", 1, kMostFound)}},
                   {"limit"}),
            candidates(), Effect::reads),
       tool("propose_hypothesis", "State a hypothesis",
            "Writes a hypothesis down before it is measured: regime, what limits it, the change, the predicted effect. "
            "Name "
            "the returned id when you submit the candidate that tests it.",
            std::move(propose),
            object({{"hypothesis", typed("string")},
                    {"tested", typed("boolean", "Whether the measurement will be held against it: it has a mechanism")},
                    {"repeats", or_null("string", "The closed route that it repeats; say what differs, or leave it")},
                    {"similar", list_of(object(candidate_fields()))}}),
            Effect::adds)});
}

}  // namespace

const base::Json& campaign_tool_list() {
  static const Json list = make_list();
  return list;
}

}  // namespace assay::mcp
