#include <assay/certify/contradictions.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include <assay/archive/bundle.hpp>
#include <assay/base/json.hpp>
#include <assay/certify/counts.hpp>
#include <assay/promote/policy.hpp>
#include <assay/task/bundle.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/readers.hpp>

namespace assay::certify {
namespace {

// Holds the files of one bundle against its manifest.
void check_manifest(const Files& files, const std::string& folder, std::vector<Difference>& found) {
  const std::string place = folder + "/" + std::string(task::kManifestFile);
  const auto text = files.find(place);
  if (text == files.end()) {
    return;  // Already said.
  }
  const auto entries = archive::decode_manifest(text->second, place);
  if (!entries) {
    found.push_back({place, entries.error().text()});
    return;
  }
  std::set<std::string> named = {place};
  for (const archive::ManifestEntry& entry : *entries) {
    const std::string path = folder + "/" + entry.name;
    named.insert(path);
    const auto file = files.find(path);
    if (file == files.end()) {
      found.push_back({path, "is missing, and the bundle's manifest names it"});
      continue;
    }
    const base::Digest digest = base::sha256(file->second);
    if (digest != entry.digest || file->second.size() != entry.bytes) {
      found.push_back({path, fmt::format("has SHA-256 {} and {} bytes, and the bundle's manifest says {} and {}",
                                         digest.hex(), file->second.size(), entry.digest.hex(), entry.bytes)});
    }
  }
  for (auto file = files.lower_bound(folder + "/"); file != files.end() && file->first.starts_with(folder + "/");
       ++file) {
    if (named.count(file->first) == 0) {
      found.push_back({file->first, "is here, and the bundle's manifest does not name it"});
    }
  }
}

// Holds a session against what the campaign asks for.
class SessionCheck {
 public:
  SessionCheck(const Evidence& evidence, const Session& session, std::vector<Difference>& found)
      : evidence_(evidence), session_(session), found_(found) {}

  void run() {
    check_request();
    check_solution("candidate", session_.intended.candidate, session_.request.candidate);
    check_solution("incumbent", session_.intended.incumbent, session_.request.incumbent);
    check_trials();
    check_evaluation();
  }

 private:
  void check_request() {
    const task::EvaluationRequest& is = session_.request;
    const task::EvaluationRequest& asked = session_.asked;
    same("request.json: /id", is.id, asked.id);
    same("request.json: /stage", task::to_string(is.stage), task::to_string(asked.stage));
    same("request.json: /device", is.device, asked.device);
    same("request.json: /seed", is.seed ? std::to_string(*is.seed) : "left to the judge",
         asked.seed ? std::to_string(*asked.seed) : "left to the judge");
    same("request.json: /definition", base::dump_compact(task::encode(is.definition)),
         base::dump_compact(task::encode(asked.definition)));
    same("request.json: /workloads", workloads_of(is.workloads), workloads_of(asked.workloads));
    same("request.json: /plan", base::dump_compact(task::encode(is.plan)),
         base::dump_compact(task::encode(asked.plan)));
    same("request.json: /official_trials", std::to_string(is.official_trials), std::to_string(asked.official_trials));
    same("request.json: /trials", std::to_string(is.trials), std::to_string(asked.trials));
    same("request.json: /trials_turn", task::to_string(is.trials_turn), task::to_string(asked.trials_turn));
    same("request.json: /known_code", fmt::format("{} candidates", is.known_code.size()),
         fmt::format("{} candidates", asked.known_code.size()));
    same("request.json: /refuse_twin", fmt::format("{}", is.refuse_twin), fmt::format("{}", asked.refuse_twin));
    same("request.json: /judge_twin", fmt::format("{}", is.judge_twin), fmt::format("{}", asked.judge_twin));
    same("request.json: /disabled_probes", fmt::format("{} probes", is.disabled_probes.size()),
         fmt::format("{} probes", asked.disabled_probes.size()));
  }

  // By their content; and all of them, name and dependencies too, where the configuration has them.
  void check_solution(const std::string& field, int number, const std::optional<task::Solution>& is) {
    const std::string place = "request.json: /" + field;
    const std::string content = is ? content_of_solution(*is) : "none";
    const std::string asked = evidence_.identity_of(number).content.hex();
    const task::Solution* configured = configured_solution(number);
    same(place, content, asked);
    if (content != asked) {
      return;
    }
    if (configured != nullptr) {
      same(place, base::dump_compact(task::encode(*is)), base::dump_compact(task::encode(*configured)));
    } else {
      same(place + "/name", is->name, evidence_.state.candidate(number).name);
    }
  }

  // How trials are spread follows from an archive that is not here. Wherever they go the bound for clean ones holds; but all
  // must be made, and a fifth be spread evenly.
  void check_trials() {
    constexpr std::int64_t kEven = 5;
    const std::vector<int>& spread = session_.request.trials_on;
    if (spread.empty()) {
      return;
    }
    const std::int64_t all = std::accumulate(spread.begin(), spread.end(), std::int64_t{0});
    const std::int64_t least = *std::min_element(spread.begin(), spread.end());
    const std::int64_t even = session_.asked.trials / kEven / static_cast<std::int64_t>(spread.size());
    if (session_.asked.trials == 0 || all < session_.asked.trials || least < even) {
      found_.push_back({session_.folder + "/request.json: /trials_on",
                        fmt::format("are {} trials, at least {} on a workload, and the campaign asks for {} and {}",
                                    all, least, session_.asked.trials, even)});
    }
  }

  void check_evaluation() {
    const task::EvaluationRequest& request = session_.request;
    const task::Evaluation& evaluation = session_.evaluation;
    same("evaluation.json: /id", evaluation.id, request.id);
    same("evaluation.json: /stage", task::to_string(evaluation.stage), task::to_string(request.stage));
    same("evaluation.json: /device", evaluation.device, request.device);
    same("evaluation.json: /candidate/content", evaluation.candidate.content.hex(),
         content_of_solution(request.candidate));
    same("evaluation.json: /incumbent/content",
         evaluation.incumbent ? evaluation.incumbent->content.hex() : std::string("none"),
         request.incumbent ? content_of_solution(*request.incumbent) : std::string("none"));
    if (request.seed) {
      same("evaluation.json: /seed", std::to_string(evaluation.seed), std::to_string(*request.seed));
    }
    if (task::is_correct(evaluation.outcome)) {
      same("evaluation.json: /replayed", std::to_string(evaluation.replayed), std::to_string(request.replays.size()));
    }
  }

  void same(std::string_view place, std::string_view is, std::string_view asked) {
    if (is != asked) {
      constexpr std::size_t kMost = 200;
      found_.push_back(
          {fmt::format("{}/{}", session_.folder, place),
           fmt::format("is {}, and the campaign asks for {}", is.substr(0, kMost), asked.substr(0, kMost))});
    }
  }
  // The baseline, or a candidate supplied by hand; null: the configuration does not have it.
  [[nodiscard]] const task::Solution* configured_solution(int number) const {
    const control::CampaignConfiguration& configuration = evidence_.configuration;
    if (number == 0) {
      return &configuration.baseline;
    }
    const auto index = static_cast<std::size_t>(number - 1);
    return evidence_.state.candidate(number).round == 0 && index < configuration.supplied.size()
               ? &configuration.supplied[index]
               : nullptr;
  }
  static std::string content_of_solution(const task::Solution& solution) {
    return task::identify(solution).content.hex();
  }
  static std::string workloads_of(const std::vector<task::Workload>& workloads) {
    std::string all;
    for (const task::Workload& workload : workloads) {
      all += base::dump_compact(task::encode_carried(workload)) + "\n";
    }
    return fmt::format("{} workloads with SHA-256 {}", workloads.size(), base::sha256(all).hex());
  }

  const Evidence& evidence_;
  const Session& session_;
  std::vector<Difference>& found_;
};

// Where a policy leaves promotions to a person it makes none itself, and nobody else does where it does not.
void check_approver(const Evidence& evidence, std::vector<Difference>& found) {
  const promote::Policy& policy = evidence.configuration.policy;
  const std::string own_name = "policy " + policy.name;
  if ((evidence.promotion.by == own_name) == (policy.approval == promote::Approval::policy)) {
    return;
  }
  found.push_back({fmt::format("{}: line {}: /body/by", kJournalFile, evidence.promotion_sequence),
                   fmt::format("is {}, and the campaign's policy leaves promotions to {}", evidence.promotion.by,
                               policy.approval == promote::Approval::policy ? own_name : "a person")});
}

}  // namespace

std::vector<Difference> contradictions(const Evidence& evidence, const Files& files) {
  std::vector<Difference> found;
  check_approver(evidence, found);
  check_manifest(files, std::string(kSweepFolder), found);
  SessionCheck(evidence, evidence.sweep, found).run();
  const auto add_miscounts = [&found](const Session& session) {
    for (Difference& one : miscounts(session)) {
      found.push_back(std::move(one));
    }
  };
  add_miscounts(evidence.sweep);
  if (evidence.confirmation) {
    check_manifest(files, std::string(kConfirmationFolder), found);
    SessionCheck(evidence, *evidence.confirmation, found).run();
    add_miscounts(*evidence.confirmation);
  }
  return found;
}

}  // namespace assay::certify
