#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

void declare_inbox(CLI::App& app, Draft& draft) {
  CLI::App* inbox =
      add_command(app, "inbox", "Decisions that wait for a person, in all campaigns: list, answer",
                  "  assay inbox\n"
                  "  assay inbox --json\n"
                  "  assay inbox answer tune-decision-1 go_on --by Ada --minutes 5 --because \"it will come\"\n"
                  "  assay inbox answer tune-decision-1 switch_model --value another-model --by Ada\n"
                  "  assay inbox answer tune-promotion-3 approve --by Ada --because \"read the source\"\n\n"
                  "Each says what is done if nobody answers, and when (docs/supervisor.md). A campaign that\n"
                  "runs takes the answer before its next step.");
  const Slot<InboxCommand> list(draft);
  add_shared(*inbox, draft, {Shared::archive, Shared::json});
  inbox->require_subcommand(0, 1);
  const Slot<InboxAnswerCommand> slot(draft);
  CLI::App* command = add_command(*inbox, "answer", "Choose one of a decision's options",
                                  "  assay inbox answer tune-decision-1 stop --by Ada --because \"good enough\"");
  command->add_option("id", slot->id, "The decision, as listed")->required();
  command->add_option("option", slot->answer.option, "One of its options")->required();
  command->add_option("--value", slot->answer.value,
                      "What the option asks for: a model's name, a candidate's or a hypothesis' number");
  command->add_option("--by", slot->answer.by, "Who decides")->required();
  command->add_option("--minutes", slot->answer.minutes, "Of their attention, for the ledger")->capture_default_str();
  command->add_option("--because", slot->answer.because, "The reason; some options tell it to whoever proposes");
  add_shared(*command, draft, {Shared::archive, Shared::json});
  inbox->final_callback([list, slot, inbox] {
    if (inbox->get_subcommands().empty()) {
      list.chosen()();
    } else {
      slot.chosen()();
    }
  });
}

void declare_steer(CLI::App& app, Draft& draft) {
  const Slot<SteerCommand> slot(draft);
  CLI::App* command =
      add_command(app, "steer", "Say something to whoever proposes, and have its effect measured",
                  "  assay steer tune --by Ada --minutes 10 \"the loads are not coalesced; look there first\"\n"
                  "  assay campaign status tune\n\n"
                  "It stands in the prompts from then on, as data. The status compares the gain per promotion\n"
                  "after it with that before.");
  command->add_option("campaign", slot->campaign, "The campaign")->required();
  command->add_option("text", slot->text, "The words")->required();
  command->add_option("--by", slot->by, "Who says it")->required();
  command->add_option("--minutes", slot->minutes, "Of their attention, for the ledger")->capture_default_str();
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_people(CLI::App& app, Draft& draft) {
  declare_inbox(app, draft);
  declare_steer(app, draft);
}

}  // namespace assay::cli
