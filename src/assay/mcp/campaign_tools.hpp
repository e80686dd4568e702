#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/mcp/toolbox.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>
#include <assay/service/takes_submissions.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::mcp {

/// The tools of one campaign. They submit and read; nothing here approves, changes a policy or shows what the judge alone
/// knows. What they answer is read from the journal each time, so that another server, or a person, may work beside this.
class CampaignTools final : public Toolbox {
 public:
  /// The campaign must exist. All references must outlive the object.
  CampaignTools(const service::Context& context, std::string campaign, service::TakesSubmissions& desk);

  [[nodiscard]] std::string instructions() const override;
  [[nodiscard]] const base::Json& list() const override;
  [[nodiscard]] ToolAnswer call(std::string_view name, const base::Json& arguments, const Caller& caller) override;

 private:
  using Status = service::CampaignStatus;
  [[nodiscard]] base::Result<ToolAnswer> perform(std::string_view name, const base::Json& arguments,
                                                 const Caller& caller);
  [[nodiscard]] base::Result<base::Json> get_task(const base::Json& arguments) const;
  [[nodiscard]] base::Result<base::Json> get_state(const base::Json& arguments) const;
  [[nodiscard]] base::Result<base::Json> submit(const base::Json& arguments, const Caller& caller);
  [[nodiscard]] base::Result<ToolAnswer> wait(const base::Json& arguments);
  [[nodiscard]] base::Result<base::Json> get_result(const base::Json& arguments) const;
  [[nodiscard]] base::Result<base::Json> get_profile(const base::Json& arguments) const;
  [[nodiscard]] base::Result<base::Json> compare(const base::Json& arguments) const;
  [[nodiscard]] base::Result<base::Json> failed_routes(const base::Json& arguments) const;
  [[nodiscard]] base::Result<base::Json> search(const base::Json& arguments) const;
  [[nodiscard]] base::Result<base::Json> propose(const base::Json& arguments);

  [[nodiscard]] base::Result<Status> status() const;
  /// How a job stands, as wait_for_job and get_result tell it; an input error if nobody has submitted it.
  [[nodiscard]] base::Result<base::Json> job_answer(const std::string& job) const;
  [[nodiscard]] base::Result<base::Json> candidate_answer(const Status& status,
                                                          const control::CandidateState& candidate) const;
  [[nodiscard]] base::Result<int> submissions_left(const Status& status) const;
  /// Jobs that are not in the journal yet.
  [[nodiscard]] base::Result<std::vector<std::string>> waiting(const Status& status) const;

  const service::Context& context_;
  std::string campaign_;
  service::TakesSubmissions& desk_;
};

}  // namespace assay::mcp
