// Any bytes as a certificate, and after lines "---" as its journal and its configuration: refused, with a reason for each
// difference. None can hold, for the bundles are missing. Links of a chain that can be read are derived anew.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/certify/chain.hpp>
#include <assay/certify/files.hpp>
#include <assay/certify/verify.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  constexpr std::string_view kDivider = "\n---\n";
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto take = [&] {
    const std::size_t at = rest.find(kDivider);
    const std::string part(rest.substr(0, at));
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + kDivider.size());
    return part;
  };
  certify::Files files;
  files[std::string(certify::kCertificateFile)] = take();
  files[std::string(certify::kJournalFile)] = take();
  files[std::string(certify::kConfigurationFile)] = take();
  const auto verification = certify::verify(files);
  if (!verification) {
    ASSAY_CHECK(!verification.error().message.empty());
    return 0;
  }
  ASSAY_CHECK(!verification->holds());
  for (const certify::Difference& one : verification->differences) {
    ASSAY_CHECK(!one.place.empty() && !one.what.empty());
  }
  ASSAY_CHECK(base::parse_json(base::dump_compact(certify::encode(*verification)), "verification").has_value());
  const base::Json certificate = base::parse_json(files[std::string(certify::kCertificateFile)], "certificate").value();
  const auto links =
      certify::decode_links(certificate.contains("chain") ? certificate["chain"] : base::Json(), "chain");
  ASSAY_CHECK(links.has_value() || !links.error().message.empty());
  return 0;
}
