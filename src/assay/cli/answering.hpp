#pragma once

#include <string>

#include <assay/base/json.hpp>
#include <assay/cli/arguments.hpp>
#include <assay/cli/program.hpp>
#include <assay/report/model.hpp>
#include <assay/report/text.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::cli {

/// Exit codes of commands that came to their end (Answer).
inline constexpr int kCandidateFailed = 1;
inline constexpr int kCertificateFailed = 1;
inline constexpr int kReplayDiffers = 1;
inline constexpr int kBadRequest = 2;
inline constexpr int kEnvironmentFailed = 3;

/// What those who carry out commands have in common: what the command works on, and how it answers.
class Answering {
 public:
  /// The context is lent.
  Answering(Format format, const service::Context& context) : json_(format == Format::json), context_(context) {}

 protected:
  /// Answers in the format that was asked for; `print` makes the text and is called for that alone.
  template <class Print>
  [[nodiscard]] Answer answer(int exit_code, const base::Json& json, const Print& print) const {
    return {json_ ? base::dump_pretty(json) + "\n" : print(), exit_code};
  }
  [[nodiscard]] const service::Context& context() const { return context_; }

 private:
  bool json_;
  const service::Context& context_;
};

/// Whether what is printed to stdout may be coloured.
[[nodiscard]] report::Colour colour();

/// Who a person is: as given, or else by the system's name for whoever runs this.
[[nodiscard]] std::string whoever(const std::string& given);

/// How a campaign went, and what comes next.
[[nodiscard]] std::string campaign_summary(const service::CampaignStatus& status, const report::CampaignReport& model);

}  // namespace assay::cli
