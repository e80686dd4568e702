#include <assay/control/replay_journal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include <assay/agent/tuner.hpp>
#include <assay/control/agent_runs.hpp>
#include <assay/control/campaign.hpp>
#include <assay/control/executor.hpp>
#include <assay/control/next_action.hpp>
#include <assay/control/recorded_campaign.hpp>
#include <assay/control/recorded_evaluator.hpp>
#include <assay/control/recorded_proposer.hpp>
#include <assay/control/supervision.hpp>
#include <assay/control/void_confirmation.hpp>

namespace assay::control {
namespace {

// Journals of before did not say what evaluations cost: what they do not have is not held against them.
bool same_entry(const archive::Event& recorded, const archive::Event& other) {
  if (recorded.kind != other.kind) {
    return false;
  }
  if (recorded.body == other.body) {
    return true;
  }
  const auto had = base::parse_json(recorded.body, "recorded");
  auto has = base::parse_json(other.body, "other");
  if (!had || !has || !had->is_object() || !has->is_object() || had->contains("spent")) {
    return false;
  }
  has->erase("spent");
  return base::dump_compact(*has) == recorded.body;
}

class JournalReplayer {
 public:
  enum class Evidence : std::uint8_t { recorded, before };
  JournalReplayer(const archive::Archive& archive, RecordedCampaign recorded, archive::Archive& scratch,
                  Evidence evidence)
      : archive_(archive),
        recorded_(std::move(recorded)),
        scratch_(scratch),
        evidence_(evidence),
        evaluator_(archive_, recorded_, scratch.spool()),
        proposer_(archive_, recorded_) {
    replay_.campaign = recorded_.configuration.name;
    replay_.events = static_cast<std::int64_t>(recorded_.events.size());
  }

  base::Result<JournalReplay> run() {
    if (is_tuned(recorded_)) {
      ASSAY_TRY_ASSIGN(agent::Tuner tuner,
                       agent::Tuner::create(*recorded_.configuration.tunable, recorded_.configuration.tuner_seed));
      tuner_ = std::make_unique<agent::Tuner>(std::move(tuner));
    }
    while (!replay_.difference && state_.last_sequence < replay_.events) {
      const std::optional<Entry>& next = recorded_.entries[static_cast<std::size_t>(state_.last_sequence)];
      if (!next) {
        differs("", "this Assay cannot read it");
      } else if (is_from_outside(*next, state_.phase == Phase::awaiting_approval)) {
        ASSAY_TRY(take());
      } else {
        ASSAY_TRY(decide());
      }
    }
    return std::move(replay_);
  }

 private:
  [[nodiscard]] const archive::Event& next() const {
    return recorded_.events[static_cast<std::size_t>(state_.last_sequence)];
  }

  void differs(std::string other, std::string why) {
    const auto index = static_cast<std::size_t>(replay_.reproduced);
    JournalDifference difference;
    difference.sequence = replay_.reproduced + 1;
    if (index < recorded_.events.size()) {
      difference.kind = recorded_.events[index].kind;
      difference.recorded = recorded_.events[index].body;
    }
    difference.other = std::move(other);
    difference.why = std::move(why);
    replay_.difference = std::move(difference);
  }

  // Takes an entry from outside as it is written; the fold says whether it fits.
  base::Result<void> take() {
    const archive::Event& event = next();
    const auto* run =
        std::get_if<AgentRunIntended>(&*recorded_.entries[static_cast<std::size_t>(state_.last_sequence)]);
    const auto* arm = std::get_if<ArmChosen>(&*recorded_.entries[static_cast<std::size_t>(state_.last_sequence)]);
    if (arm != nullptr) {
      ASSAY_TRY_ASSIGN(const std::string drawn, draw_arm(*arm));
      if (drawn != event.body) {
        differs(event.kind + " " + drawn, "drawn anew it is another");
        return {};
      }
    }
    if (run != nullptr && run->run != run_id(recorded_.configuration, state_)) {
      differs("", fmt::format("the next run is {}", run_id(recorded_.configuration, state_)));
      return {};
    }
    CampaignState after = state_;
    if (const auto applied = apply(recorded_.configuration, event, after); !applied) {
      differs("", applied.error().text());
      return {};
    }
    ASSAY_TRY(scratch_.append({replay_.campaign, state_.last_sequence, {{event.kind, event.body}}}));
    state_ = std::move(after);
    ++(arm != nullptr ? replay_.decided : replay_.taken)[event.kind];
    ++replay_.reproduced;
    return {};
  }

  // Which arm has the next run, drawn from those that had not failed in this round or, where a controller came between,
  // from all: which of them were open is not written down.
  base::Result<std::string> draw_arm(const ArmChosen& recorded) {
    const auto plan = plan_with_model(recorded_.configuration, state_.supervision.model);
    if (!plan) {
      return std::string();
    }
    std::vector<std::string> all;
    std::vector<std::string> open;
    const std::vector<AgentArm> arms = plan->arms();
    for (const AgentArm& arm : arms) {
      const std::string name = arm_name(arm, arms.size() == 1);
      all.push_back(name);
      const bool failed = std::any_of(state_.runs.begin(), state_.runs.end(), [&](const AgentRunState& run) {
        return run.agent == name && run.round > state_.rounds_started &&
               (!run.outcome || agent::is_environment(*run.outcome));
      });
      if (!failed) {
        open.push_back(name);
      }
    }
    std::string body;
    for (const std::vector<std::string>& names : {open, all}) {
      if (names.empty() || body == encode_entry(recorded).second) {
        continue;
      }
      AgentRuns runs(recorded_.configuration, state_, [&](const Entry& entry) {
        body = encode_entry(entry).second;
        return base::Result<void>();
      });
      ASSAY_TRY(runs.choose(names));
    }
    return body;
  }

  base::Result<void> decide() {
    Action action = next_action(state_, recorded_.configuration);
    if (auto overdue = closed_at_resume(); overdue && std::holds_alternative<Stop>(action)) {
      action = Note{std::move(*overdue)};
    }
    if (std::holds_alternative<Stop>(action)) {
      differs("", fmt::format("the controller would write nothing here: the campaign is {}", to_string(state_.phase)));
      return {};
    }
    if (is_failed_attempt(action)) {
      return take();
    }
    ASSAY_TRY(restore_bundle(action));
    evaluator_.stand_at(state_.last_sequence);
    proposer_.stand_at(state_.rounds_started + 1);
    agent::Proposer& proposer = tuner_ ? static_cast<agent::Proposer&>(*tuner_) : proposer_;
    const Observer nobody;
    Executor executor(scratch_, recorded_.configuration, state_, evaluator_, proposer, nobody);
    if (evidence_ == Evidence::before) {
      executor.omit_evidence();
    }
    const auto performed = executor.perform(action);
    const std::int64_t before = state_.last_sequence;
    state_ = executor.state();
    ASSAY_TRY(compare_from(before));
    const bool goes_on = performed || (performed.error().code == kOutsideFirst && state_.last_sequence > before);
    if (!goes_on && !replay_.difference && replay_.reproduced < replay_.events) {
      differs("", performed.error().text());
    }
    return {};
  }

  // That a campaign was continued without an answer, the journal alone tells; what follows is decided.
  [[nodiscard]] std::optional<DecisionClosed> closed_at_resume() const {
    const std::optional<Entry>& entry = recorded_.entries[static_cast<std::size_t>(state_.last_sequence)];
    return entry && std::holds_alternative<DecisionClosed>(*entry) ? overdue_at_resume(state_) : std::nullopt;
  }

  // How an attempt failed was the machine's doing: it is taken as it is written. That a session said nothing is not.
  [[nodiscard]] bool is_failed_attempt(const Action& action) const {
    const auto* evaluate = std::get_if<Evaluate>(&action);
    const std::optional<Entry>& entry = recorded_.entries[static_cast<std::size_t>(state_.last_sequence)];
    const auto* failed = entry ? std::get_if<EvaluationFailed>(&*entry) : nullptr;
    return evaluate != nullptr && evaluate->intended && failed != nullptr && !is_void_session(failed->code);
  }

  // A controller that takes over finds the bundle, or knows that the judge died with its predecessor.
  base::Result<void> restore_bundle(const Action& action) const {
    const auto* evaluate = std::get_if<Evaluate>(&action);
    if (evaluate == nullptr || !evaluate->intended) {
      return {};
    }
    const auto end = recorded_.ends.find(evaluate->target.evaluation);
    if (end == recorded_.ends.end() || !end->second.has_result()) {
      return {};
    }
    ASSAY_TRY(put_bundle(archive_, evaluate->target.evaluation, scratch_.spool()));
    return {};
  }

  // What the controller has just written must be what is recorded.
  base::Result<void> compare_from(std::int64_t before) {
    ASSAY_TRY_ASSIGN(const auto written, scratch_.events(replay_.campaign));
    for (auto i = static_cast<std::size_t>(before); i < written.size() && i < recorded_.events.size(); ++i) {
      if (!same_entry(recorded_.events[i], written[i])) {
        differs(written[i].kind + " " + written[i].body, "decided anew it is another");
        return {};
      }
      ++replay_.reproduced;
      ++replay_.decided[written[i].kind];
    }
    return {};
  }

  const archive::Archive& archive_;
  RecordedCampaign recorded_;
  archive::Archive& scratch_;
  Evidence evidence_;
  RecordedEvaluator evaluator_;
  RecordedProposer proposer_;
  std::unique_ptr<agent::Tuner> tuner_;
  CampaignState state_;
  JournalReplay replay_;
};

// Whether the controller would have written evidence where the journal, which was written before there was any, has none.
bool is_from_before_evidence(const RecordedCampaign& recorded, const JournalReplay& replay) {
  const bool has_any = std::any_of(recorded.entries.begin(), recorded.entries.end(), [](const auto& entry) {
    return entry && std::holds_alternative<EvidenceRecorded>(*entry);
  });
  return !has_any && replay.difference && replay.difference->other.starts_with(EvidenceRecorded::kKind);
}

}  // namespace

base::Result<JournalReplay> replay_journal(const archive::Archive& archive, const std::string& campaign,
                                           const os::Path& scratch) {
  ASSAY_TRY_ASSIGN(const RecordedCampaign recorded, read_recorded_campaign(archive, campaign));
  ASSAY_TRY_ASSIGN(const auto stored, archive.campaign(campaign));
  ASSAY_CHECK(stored.has_value());  // Its configuration was read.
  const auto replay_in = [&](const char* folder, JournalReplayer::Evidence evidence) -> base::Result<JournalReplay> {
    ASSAY_TRY_ASSIGN(archive::Archive own, archive::Archive::open_writer(scratch / folder));
    ASSAY_TRY(own.create_campaign(*stored));
    return JournalReplayer(archive, recorded, own, evidence).run();
  };
  ASSAY_TRY_ASSIGN(JournalReplay replay, replay_in("archive", JournalReplayer::Evidence::recorded));
  if (is_from_before_evidence(recorded, replay)) {
    ASSAY_TRY_ASSIGN(replay, replay_in("without-evidence", JournalReplayer::Evidence::before));
    replay.note =
        "this journal was written by an Assay of before evidence was recorded: the evidence_recorded events that this "
        "one "
        "would write beside its results were left out, and all else was decided anew";
  }
  return replay;
}

base::Json encode(const JournalReplay& replay) {
  base::Json difference;
  if (replay.difference) {
    difference = {{"sequence", replay.difference->sequence},
                  {"kind", replay.difference->kind},
                  {"recorded", replay.difference->recorded},
                  {"other", replay.difference->other},
                  {"why", replay.difference->why}};
  }
  return {{"campaign", replay.campaign},
          {"events", replay.events},
          {"reproduced", replay.reproduced},
          {"decided", replay.decided},
          {"taken", replay.taken},
          {"difference", std::move(difference)},
          {"note", replay.note.empty() ? base::Json() : base::Json(replay.note)}};
}

}  // namespace assay::control
