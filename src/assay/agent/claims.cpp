#include <assay/agent/claims.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/agent/round_plan.hpp>
#include <assay/task/decoder.hpp>

namespace assay::agent {
namespace {

Claim read_one_claim(const task::Node& node, const std::vector<ClaimFacts>& facts) {
  Claim claim;
  task::Fields fields(node);
  const task::Node candidate = fields.required("candidate");
  claim.candidate = static_cast<int>(candidate.integer({1, 1'000'000}));
  const bool known =
      std::any_of(facts.begin(), facts.end(), [&](const ClaimFacts& one) { return one.candidate == claim.candidate; });
  if (candidate.present() && !known) {
    candidate.problem("is none of the candidates that were asked about");
  }
  claim.kind = static_cast<ClaimKind>(fields.required("kind").word(kClaimKinds));
  claim.file = kept_statement(fields.required("file").text());
  claim.text = kept_statement(fields.required("text").text());
  claim.against = static_cast<ClaimAgainst>(fields.required("against").word(kClaimAgainst));
  claim.value = fields.required("value").number();
  fields.refuse_others();
  const auto need = [&](bool holds, std::string_view place, const char* what) {
    if (!holds) {
      node.problem_at(place, what);
    }
  };
  switch (claim.kind) {
    case ClaimKind::file_changed:
    case ClaimKind::file_unchanged:
      need(!claim.file.empty(), "/file", "this kind of claim names a file");
      break;
    case ClaimKind::text_added:
    case ClaimKind::text_removed:
      need(!claim.file.empty(), "/file", "this kind of claim names a file");
      need(!claim.text.empty(), "/text", "this kind of claim quotes a text");
      break;
    case ClaimKind::speedup:
      need(std::isfinite(claim.value) && claim.value > 0, "/value", "a speedup lies above 0");
      [[fallthrough]];
    case ClaimKind::faster:
    case ClaimKind::slower:
      need(claim.against != ClaimAgainst::none, "/against", "say whether against the baseline or the parent");
      break;
    case ClaimKind::outcome:
    case ClaimKind::cause:
      need(!claim.text.empty(), "/text", "this kind of claim is a text");
      break;
  }
  return claim;
}

const std::string* find_source(const std::vector<task::SourceFile>& sources, const std::string& path) {
  const auto found =
      std::find_if(sources.begin(), sources.end(), [&](const task::SourceFile& one) { return one.path == path; });
  return found == sources.end() ? nullptr : &found->content;
}

// A name is a name only where it stands alone: "x" does not occur in "max".
bool is_part_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// What is commented out is not there. Python is counted as it stands: only C and C++ can be read without their comments.
std::string code_of(const std::string& path, const std::string& text) {
  return path.ends_with(".py") ? text : task::normalise_source(text, task::LayoutUse::none);
}

std::size_t count_in_code(const std::string* source, const Claim& claim) {
  if (source == nullptr) {
    return 0;
  }
  const std::string code = code_of(claim.file, *source);
  const std::string wanted = code_of(claim.file, claim.text);
  std::size_t count = 0;
  for (std::size_t at = wanted.empty() ? std::string::npos : code.find(wanted); at != std::string::npos;
       at = code.find(wanted, at + wanted.size())) {
    const std::size_t end = at + wanted.size();
    const bool cut_before = at > 0 && is_part_of_a_name(code[at - 1]) && is_part_of_a_name(wanted.front());
    const bool cut_after = end < code.size() && is_part_of_a_name(code[end]) && is_part_of_a_name(wanted.back());
    count += cut_before || cut_after ? 0U : 1U;
  }
  return count;
}

bool same_sources(const ClaimFacts& facts) {
  return facts.sources.size() == facts.parent_sources.size() &&
         std::all_of(facts.sources.begin(), facts.sources.end(), [&](const task::SourceFile& one) {
           const std::string* other = find_source(facts.parent_sources, one.path);
           return other != nullptr && *other == one.content;
         });
}

std::string parent_words(const ClaimFacts& facts) {
  return facts.parent == 0 ? std::string("the baseline") : fmt::format("candidate {}", facts.parent);
}

JudgedClaim judge_file(const Claim& claim, const ClaimFacts& facts) {
  const std::string* now = find_source(facts.sources, claim.file);
  const std::string* before = find_source(facts.parent_sources, claim.file);
  if (now == nullptr && before == nullptr) {
    return {claim, ClaimStatus::contradicted, "neither it nor its parent has such a file"};
  }
  const bool same = now != nullptr && before != nullptr && *now == *before;
  const std::string why = same                ? "the file is the same as its parent's"
                          : now == nullptr    ? "its parent has the file, and it has not"
                          : before == nullptr ? "its parent has no such file"
                                              : "the file differs from its parent's";
  return {claim, same == (claim.kind == ClaimKind::file_unchanged) ? ClaimStatus::checked : ClaimStatus::contradicted,
          why};
}

JudgedClaim judge_text(const Claim& claim, const ClaimFacts& facts) {
  const std::string* now = find_source(facts.sources, claim.file);
  const std::string* before = find_source(facts.parent_sources, claim.file);
  if (now == nullptr && before == nullptr) {
    return {claim, ClaimStatus::contradicted, "neither it nor its parent has such a file"};
  }
  const std::size_t in_now = count_in_code(now, claim);
  const std::size_t in_before = count_in_code(before, claim);
  const bool holds = claim.kind == ClaimKind::text_added ? in_now > in_before : in_now < in_before;
  return {claim, holds ? ClaimStatus::checked : ClaimStatus::contradicted,
          fmt::format("without comments it stands there {} times, and {} times in its parent's", in_now, in_before)};
}

std::string interval_words(const LogInterval& interval) {
  return fmt::format("measured {:.3f}x [{:.3f}, {:.3f}]", std::exp(-interval.mean), std::exp(-interval.upper),
                     std::exp(-interval.lower));
}

JudgedClaim judge_speed(const Claim& claim, const ClaimFacts& facts) {
  const auto& measured = claim.against == ClaimAgainst::parent ? facts.to_parent : facts.to_baseline;
  if (!task::is_correct(facts.outcome) || !measured) {
    const bool failed = !task::is_correct(facts.outcome) && facts.outcome != task::Outcome::duplicate;
    return {claim, failed ? ClaimStatus::contradicted : ClaimStatus::unverifiable,
            fmt::format("it is {}, and has no time", task::to_string(facts.outcome))};
  }
  const std::string why = interval_words(*measured);
  if (claim.kind == ClaimKind::speedup) {
    const double claimed = -std::log(claim.value);
    const bool inside = claimed >= measured->lower && claimed <= measured->upper;
    return {claim, inside ? ClaimStatus::checked : ClaimStatus::contradicted, why};
  }
  const bool faster = measured->upper < 0;
  const bool slower = measured->lower > 0;
  if (!faster && !slower) {
    return {claim, ClaimStatus::unverifiable, why + ": the interval does not say"};
  }
  return {claim, faster == (claim.kind == ClaimKind::faster) ? ClaimStatus::checked : ClaimStatus::contradicted, why};
}

}  // namespace

ClaimFacts facts_of(const Trial& trial, const Trial* parent, const task::Solution& baseline) {
  ClaimFacts facts;
  facts.candidate = trial.number;
  facts.parent = parent == nullptr ? 0 : parent->number;
  facts.sources = trial.solution.sources;
  facts.parent_sources = parent == nullptr ? baseline.sources : parent->solution.sources;
  facts.outcome = trial.outcome;
  facts.to_baseline = trial.to_baseline;
  if (parent == nullptr) {
    facts.to_parent = trial.to_baseline;
  } else if (trial.at_gate && trial.gated_against == parent->number) {
    facts.to_parent = trial.at_gate;
  } else if (trial.to_baseline && parent->to_baseline) {
    // Both from the baseline: the bounds add up, and are wider than they need be.
    const LogInterval& own = *trial.to_baseline;
    const LogInterval& base = *parent->to_baseline;
    facts.to_parent = LogInterval{own.mean - base.mean, own.lower - base.upper, own.upper - base.lower};
  }
  return facts;
}

ClaimReading read_summary_answer(std::string_view answer, const std::vector<ClaimFacts>& facts) {
  ClaimReading reading;
  const auto fault = [&](const std::string& what) {
    if (reading.faults.size() < kMostAnswerFaults) {
      reading.faults.push_back(kept_statement(what));
    }
  };
  const auto json = base::parse_json(answer, "the summary");
  if (!json) {
    fault(json.error().message);
    return reading;
  }
  if (!json->is_object() || !json->contains("claims") || !(*json)["claims"].is_array()) {
    fault("/claims: must be there, and be an array");
    return reading;
  }
  const base::Json& items = (*json)["claims"];
  if (items.size() > kMostClaims) {
    fault(fmt::format("/claims: more than {}; the others are left out", kMostClaims));
  }
  for (std::size_t i = 0; i < std::min(items.size(), kMostClaims); ++i) {
    auto one = task::decode_whole(items[i], task::Coercion::strict,
                                  [&](const task::Node& node) { return read_one_claim(node, facts); });
    if (one.value) {
      reading.claims.push_back(std::move(*one.value));
    }
    for (const task::Problem& problem : one.problems) {
      fault(fmt::format("/claims/{}{}: {}", i, problem.pointer, problem.message));
    }
  }
  return reading;
}

std::string summary_schema() {
  const auto words = [](const auto& names) {
    base::Json all = base::Json::array();
    for (const std::string_view name : names) {
      all.push_back(std::string(name));
    }
    return all;
  };
  const base::Json claim = {{"type", "object"},
                            {"additionalProperties", false},
                            {"required", {"candidate", "kind", "file", "text", "against", "value"}},
                            {"properties",
                             {{"candidate", {{"type", "integer"}, {"minimum", 1}}},
                              {"kind", {{"type", "string"}, {"enum", words(kClaimKinds)}}},
                              {"file", {{"type", "string"}}},
                              {"text", {{"type", "string"}}},
                              {"against", {{"type", "string"}, {"enum", words(kClaimAgainst)}}},
                              {"value", {{"type", "number"}}}}}};
  return base::dump_pretty(
      {{"$schema", "http://json-schema.org/draft-07/schema#"},
       {"title", "Summary"},
       {"description",
        "What the summariser of a full-agent campaign answers: claims about candidates, each of which is checked."},
       {"type", "object"},
       {"additionalProperties", false},
       {"required", {"claims"}},
       {"properties", {{"claims", {{"type", "array"}, {"items", claim}}}}}});
}

JudgedClaim judge_claim(const Claim& claim, const ClaimFacts& facts) {
  ASSAY_CHECK(claim.candidate == facts.candidate);
  switch (claim.kind) {
    case ClaimKind::file_changed:
    case ClaimKind::file_unchanged:
      return judge_file(claim, facts);
    case ClaimKind::text_added:
    case ClaimKind::text_removed:
      return judge_text(claim, facts);
    case ClaimKind::faster:
    case ClaimKind::slower:
    case ClaimKind::speedup:
      return judge_speed(claim, facts);
    case ClaimKind::outcome: {
      const std::string_view word = task::to_string(facts.outcome);
      return {claim, claim.text == word ? ClaimStatus::checked : ClaimStatus::contradicted,
              fmt::format("it is {}", word)};
    }
    case ClaimKind::cause:
      break;
  }
  if (same_sources(facts)) {
    return {
        claim, ClaimStatus::contradicted,
        fmt::format("it has the very sources of {}: nothing was changed that could be a cause", parent_words(facts))};
  }
  return {claim, ClaimStatus::unverifiable, "nothing that was measured says why"};
}

std::string lesson_of(const JudgedClaim& judged) {
  const Claim& claim = judged.claim;
  const std::string whom = claim.against == ClaimAgainst::parent ? "its parent" : "the baseline";
  switch (claim.kind) {
    case ClaimKind::file_changed:
      return fmt::format("candidate {} changed the file \"{}\"", claim.candidate, claim.file);
    case ClaimKind::file_unchanged:
      return fmt::format("candidate {} left the file \"{}\" as it was", claim.candidate, claim.file);
    case ClaimKind::text_added:
      return fmt::format("candidate {} added \"{}\" to \"{}\"", claim.candidate, claim.text, claim.file);
    case ClaimKind::text_removed:
      return fmt::format("candidate {} removed \"{}\" from \"{}\"", claim.candidate, claim.text, claim.file);
    case ClaimKind::faster:
      return fmt::format("candidate {} is faster than {}: {}", claim.candidate, whom, judged.why);
    case ClaimKind::slower:
      return fmt::format("candidate {} is slower than {}: {}", claim.candidate, whom, judged.why);
    case ClaimKind::speedup:
      return fmt::format("candidate {} against {}: {}", claim.candidate, whom, judged.why);
    case ClaimKind::outcome:
      return fmt::format("candidate {} is {}", claim.candidate, claim.text);
    case ClaimKind::cause:
      break;
  }
  return "";
}

base::Json encode(const Summary& summary) {
  base::Json claims = base::Json::array();
  for (const JudgedClaim& one : summary.claims) {
    claims.push_back({{"candidate", one.claim.candidate},
                      {"kind", std::string(to_string(one.claim.kind))},
                      {"file", one.claim.file},
                      {"text", one.claim.text},
                      {"against", std::string(to_string(one.claim.against))},
                      {"value", task::encode_number(one.claim.value)},
                      {"status", std::string(to_string(one.status))},
                      {"why", one.why}});
  }
  return {{"run", summary.run}, {"up_to", summary.up_to}, {"claims", std::move(claims)}, {"faults", summary.faults}};
}

}  // namespace assay::agent
