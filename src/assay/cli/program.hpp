#pragma once

#include <string>

#include <assay/cli/arguments.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::cli {

/// What a command leaves: a text for stdout and an exit code (0 done, 1 the candidate failed, 2 bad request, 3 the
/// environment failed, 70 a bug).
struct Answer {
  std::string text;
  int exit_code = 0;
};

/// Carries out a command. Progress goes to stderr.
[[nodiscard]] base::Result<Answer> perform(const Arguments& arguments, const service::Context& context);

/// The exit code of a campaign that was run: 1 if its baseline failed, 3 if a null injection would have been promoted,
/// for then its machine is not to be believed, else 0.
[[nodiscard]] int exit_code(const service::CampaignStatus& status);

/// The whole program: parses, performs, prints. Returns the exit code.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace assay::cli
