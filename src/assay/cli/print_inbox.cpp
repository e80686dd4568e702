#include <assay/cli/print_inbox.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::cli {

std::string print_inbox(const std::vector<service::InboxItem>& items) {
  if (items.empty()) {
    return "nothing waits for a person\n";
  }
  std::string text;
  for (const service::InboxItem& item : items) {
    text += fmt::format("{} ({})\n  {}\n", item.id, item.kind, base::printable(item.question));
    for (const std::string& line : item.dossier) {
      text += "  . " + base::printable(line) + "\n";
    }
    for (const service::InboxOption& option : item.options) {
      text += fmt::format("    {:<16} {}\n", option.name, option.meaning);
    }
    text += fmt::format("  if nobody answers: {}; deadline: {}\n  answer: assay inbox answer {} OPTION --by NAME\n\n",
                        item.otherwise, item.deadline, item.id);
  }
  return text;
}

std::string print_said(const service::Said& said) {
  return said.running
             ? fmt::format("left for campaign {}, which is running: it takes it before its next step\n", said.campaign)
             : fmt::format("recorded; next: assay campaign resume {}\n", said.campaign);
}

}  // namespace assay::cli
