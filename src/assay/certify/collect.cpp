#include <assay/certify/collect.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/certify/chain.hpp>
#include <assay/certify/derive.hpp>
#include <assay/certify/evidence.hpp>
#include <assay/certify/page.hpp>
#include <assay/certify/verify.hpp>
#include <assay/control/events.hpp>

namespace assay::certify {
namespace {

// Where the journal is cut, and the evaluations whose bundles go with it.
struct Extent {
  std::size_t events = 0;
  std::string sweep;
  std::string confirmation;  // Empty: none.
};

tl::unexpected<base::Error> nothing_promoted(const std::string& campaign, std::optional<int> candidate) {
  return base::input_error(
      "certificate.nothing_promoted",
      candidate ? fmt::format("candidate {} of campaign {} was not promoted: `assay campaign status {}` lists what was",
                              *candidate, campaign, campaign)
                : fmt::format("campaign {} has promoted nothing: there is nothing to certify", campaign));
}

// One promotion of the journal, and how far its certificate goes.
struct Certifiable {
  int candidate = 0;
  Extent extent;
};

// Who is certified: the candidate asked for, or the incumbent that confirmations left, or, where they left the baseline, the
// last that was promoted.
base::Result<Extent> find_extent(const std::string& campaign, const std::vector<archive::Event>& events,
                                 std::optional<int> candidate) {
  std::vector<Certifiable> promotions;
  std::vector<int> reign;
  std::string sweep;
  const auto promotion_of = [&](int number) {
    return std::find_if(promotions.begin(), promotions.end(),
                        [number](const Certifiable& one) { return one.candidate == number; });
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSAY_TRY_ASSIGN(const control::Entry entry, control::decode_entry(events[i]));
    if (const auto* swept = std::get_if<control::CandidateSwept>(&entry)) {
      sweep = swept->evaluation;
    } else if (const auto* promoted = std::get_if<control::CandidatePromoted>(&entry)) {
      promotions.push_back({promoted->candidate, {i + 1, sweep, {}}});
      reign.push_back(promoted->candidate);
    } else if (std::holds_alternative<control::CandidateDemoted>(entry) && !reign.empty()) {
      reign.pop_back();
    } else if (const auto* confirmed = std::get_if<control::CampaignConfirmed>(&entry)) {
      if (const auto found = promotion_of(confirmed->candidate); found != promotions.end()) {
        found->extent.events = i + 1;
        found->extent.confirmation = confirmed->evaluation;
      }
    }
  }
  if (promotions.empty()) {
    return nothing_promoted(campaign, candidate);
  }
  const auto found = promotion_of(candidate.value_or(reign.empty() ? promotions.back().candidate : reign.back()));
  if (found == promotions.end()) {
    return nothing_promoted(campaign, candidate);
  }
  return found->extent;
}

base::Result<void> add_bundle(const archive::Archive& archive, const std::string& evaluation, std::string_view folder,
                              Files& files) {
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, archive.bundle_files(evaluation));
  for (const std::string& name : names) {
    ASSAY_TRY_ASSIGN(files[std::string(folder) + "/" + name], archive.bundle_file(evaluation, name));
  }
  return {};
}

tl::unexpected<base::Error> unprovable(const std::string& campaign, const Difference& first) {
  return base::environment_error(
      "certificate.unprovable",
      fmt::format("campaign {}: its promotion cannot be proved from the archive: {}: {}; run `assay archive verify`",
                  campaign, first.place, first.what));
}

}  // namespace

base::Result<Files> collect(const archive::Archive& archive, const std::string& campaign,
                            std::optional<int> candidate) {
  ASSAY_TRY_ASSIGN(std::vector<archive::Event> events, archive.events(campaign));
  ASSAY_TRY_ASSIGN(const auto stored, archive.campaign(campaign));
  ASSAY_CHECK(stored.has_value());  // Its journal was read.
  ASSAY_TRY_ASSIGN(const Extent extent, find_extent(campaign, events, candidate));
  events.resize(extent.events);

  Files files;
  files[std::string(kConfigurationFile)] = stored->configuration;
  std::string& journal = files[std::string(kJournalFile)];
  for (const archive::Event& event : events) {
    ASSAY_TRY_ASSIGN(const std::string line, journal_line(event));
    journal += line + "\n";
  }
  ASSAY_TRY(add_bundle(archive, extent.sweep, kSweepFolder, files));
  if (!extent.confirmation.empty()) {
    ASSAY_TRY(add_bundle(archive, extent.confirmation, kConfirmationFolder, files));
  }

  ASSAY_TRY_ASSIGN(const Evidence evidence, read_evidence(files));
  ASSAY_TRY_ASSIGN(const std::vector<archive::ChainedDecision> chain, archive.decisions());
  ASSAY_TRY_ASSIGN(const std::vector<Link> links, choose_links(chain, evidence));
  ASSAY_TRY_ASSIGN(const base::Json derived, derive(evidence, files, links));
  const base::Json certificate = rounded(derived);
  const std::string text = base::dump_pretty(certificate) + "\n";
  files[std::string(kPageFile)] = render_page(certificate, base::sha256(text));
  files[std::string(kCertificateFile)] = text;

  ASSAY_TRY_ASSIGN(const Verification verification, verify(files));
  if (!verification.holds()) {
    return unprovable(campaign, verification.differences.front());
  }
  if (const auto forged = chain_differences(verification, chain); !forged.empty()) {
    return unprovable(campaign, forged.front());
  }
  return files;
}

}  // namespace assay::certify
