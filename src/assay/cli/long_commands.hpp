#pragma once

#include <string>
#include <type_traits>

#include <assay/base/error.hpp>
#include <assay/cli/answering.hpp>
#include <assay/cli/arguments.hpp>
#include <assay/cli/program.hpp>
#include <assay/service/context.hpp>

namespace assay::cli {

/// Carries out the commands that compile and run candidates, or make much data: they show how far they are, and who
/// interrupts one is told what is left of it.
class LongCommands : public Answering {
 public:
  using Answering::Answering;

  base::Result<Answer> operator()(const EvaluateCommand& command) const;
  base::Result<Answer> operator()(const CheckDefinitionCommand& command) const;
  base::Result<Answer> operator()(const SelftestCommand& command) const;
  base::Result<Answer> operator()(const CampaignRunCommand& command) const;
  base::Result<Answer> operator()(const CampaignResumeCommand& command) const;
  base::Result<Answer> operator()(const MaterialiseCommand& command) const;

 private:
  template <class Use>
  std::invoke_result_t<Use, const service::Context&> without_archive(const std::string& prefix, Use use) const;
  template <class Run>
  base::Result<Answer> drive(const std::string& name, const std::string& report, const Run& run) const;
};

}  // namespace assay::cli
