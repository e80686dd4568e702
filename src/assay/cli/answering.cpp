#include <assay/cli/answering.hpp>

#include <unistd.h>

#include <cstdlib>

#include <assay/cli/print_lists.hpp>
#include <assay/os/terminal.hpp>

namespace assay::cli {

report::Colour colour() { return os::wants_colour(STDOUT_FILENO) ? report::Colour::on : report::Colour::off; }

std::string whoever(const std::string& given) {
  const char* user = std::getenv("USER");
  return !given.empty() ? given : user != nullptr ? user : "a person";
}

std::string campaign_summary(const service::CampaignStatus& status, const report::CampaignReport& model) {
  const std::string next = next_step(status);
  return report::render_text(model, colour()) + (next.empty() ? "" : "next: " + next + "\n");
}

}  // namespace assay::cli
