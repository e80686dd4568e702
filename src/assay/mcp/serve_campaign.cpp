#include <assay/mcp/serve_campaign.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <assay/base/text.hpp>
#include <assay/mcp/campaign_tools.hpp>
#include <assay/mcp/serve.hpp>
#include <assay/service/campaign_report.hpp>
#include <assay/service/submission_desk.hpp>

namespace assay::mcp {
namespace {

base::Result<void> make_ready(const service::Context& context, const service::CampaignOptions& options,
                              bool configured) {
  if (configured) {
    ASSAY_TRY(service::create_campaign(context, options));
  }
  const auto status = service::campaign_status(context, options.name);
  if (!status) {
    base::Error error = status.error();
    if (!configured && error.owner == base::Owner::input) {
      error.message += "; `assay mcp --campaign NAME --definition DEFINITION` makes one that takes submissions";
    }
    return tl::unexpected(std::move(error));
  }
  const auto& agent = status->configuration.agent;
  if (!agent || agent->word != service::kSubmitted) {
    return base::input_error(
        "mcp.other_proposer",
        fmt::format("campaign \"{}\" has a proposer of its own and takes no submissions: choose another --campaign",
                    base::printable(options.name)));
  }
  return {};
}

}  // namespace

base::Result<void> serve_campaign(const service::Context& context, const service::CampaignOptions& options,
                                  bool configured, int input, int output) {
  ASSAY_TRY(make_ready(context, options, configured));
  service::SubmissionDesk desk(context, options.name);
  CampaignTools tools(context, options.name, desk);
  auto served = serve(tools, std::string(service::version()), input, output);
  if (served && desk.work().busy) {
    ::_exit(0);
  }
  return served;
}

}  // namespace assay::mcp
