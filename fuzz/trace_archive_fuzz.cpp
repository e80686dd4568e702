// Any bytes as evaluations, and after a line "---" as promotions: refused with a reason, or audited, encoded, put into words
// and drawn.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/foreign/audit.hpp>
#include <assay/foreign/flashinfer_traces.hpp>
#include <assay/foreign/trace_archive.hpp>
#include <assay/foreign/wording.hpp>
#include <assay/report/audit_page.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kDivider = "\n---\n";
  const std::size_t at = text.find(kDivider);
  foreign::FlashinferResults results;
  static_cast<void>(foreign::parse_flashinfer_traces(text, "input", results));
  ASSAY_CHECK(results.traces.size() == results.places.size());
  auto evaluations = foreign::parse_evaluations(text.substr(0, at), "input", true);
  if (!evaluations) {
    ASSAY_CHECK(!evaluations.error().message.empty());
    return 0;
  }
  foreign::TraceArchive archive;
  archive.evaluations = std::move(*evaluations);
  if (at != std::string_view::npos) {
    auto promotions = foreign::parse_promotions(text.substr(at + kDivider.size()), "input", archive.evaluations);
    if (!promotions) {
      ASSAY_CHECK(!promotions.error().message.empty());
      return 0;
    }
    archive.promotions = std::move(*promotions);
  } else {
    archive.promotions = foreign::replay_promotions(archive);
  }
  const foreign::Audit audit = foreign::audit(std::move(archive));
  ASSAY_CHECK(base::parse_json(base::dump_compact(foreign::encode(audit)), "audit").has_value());
  for (const foreign::PromotionAudit& promotion : audit.promotions) {
    ASSAY_CHECK(!foreign::sentences(audit, promotion).empty());
  }
  for (const foreign::TraceAudit& trace : audit.traces) {
    ASSAY_CHECK(!foreign::choice_sentence(audit, trace).empty());
  }
  ASSAY_CHECK(!report::render_audit_page(audit, {"input", "", ""}).empty());
  return 0;
}
