#include <assay/mcp/offer_tools.hpp>

#include <assay/mcp/campaign_tools.hpp>
#include <assay/mcp/tool_host.hpp>
#include <assay/service/campaign_report.hpp>

namespace assay::mcp {

base::Result<std::shared_ptr<void>> offer_tools(const service::Context& context, const std::string& campaign,
                                                service::TakesSubmissions& desk, const os::Path& socket) {
  ASSAY_TRY_ASSIGN(std::unique_ptr<ToolHost> host,
                   ToolHost::open(std::make_unique<CampaignTools>(context, campaign, desk), socket,
                                  std::string(service::version())));
  return std::shared_ptr<void>(std::move(host));
}

}  // namespace assay::mcp
