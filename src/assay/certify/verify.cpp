#include <assay/certify/verify.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include <assay/certify/chain.hpp>
#include <assay/certify/contradictions.hpp>
#include <assay/certify/derive.hpp>
#include <assay/certify/evidence.hpp>
#include <assay/certify/page.hpp>
#include <assay/certify/session.hpp>

namespace assay::certify {
namespace {

using base::Json;

base::Result<Json> parse_certificate(const Files& files) {
  const auto text = files.find(std::string(kCertificateFile));
  if (text == files.end()) {
    return base::input_error("certificate.not_found", fmt::format("{} is missing", kCertificateFile));
  }
  ASSAY_TRY_ASSIGN(Json json, base::parse_json(text->second, kCertificateFile));
  if (!json.is_object() || !json.contains("version") || !json["version"].is_number_integer()) {
    return base::input_error(
        "certificate.version",
        fmt::format("{}: /version: must be a whole number: this is no certificate", kCertificateFile));
  }
  if (json["version"] != kCertificateVersion && json["version"] != kFirstCertificateVersion) {
    return base::input_error(
        "certificate.version",
        fmt::format("{}: /version: is {}; this Assay reads {} and {}: use the Assay that wrote it", kCertificateFile,
                    base::dump_compact(json["version"]), kFirstCertificateVersion, kCertificateVersion));
  }
  return json;
}

// The files against the digests that the certificate has of them.
void check_artefacts(const Files& files, const Json& certificate, std::vector<Difference>& found) {
  if (!certificate.contains("artefacts") || !certificate["artefacts"].is_array()) {
    return;  // Said when all fields are compared.
  }
  std::map<std::string, std::string> named;
  for (const Json& artefact : certificate["artefacts"]) {
    // One without a name is named by its place when all fields are compared.
    if (artefact.is_object() && artefact.contains("path") && artefact["path"].is_string() && artefact["path"] != "" &&
        artefact.contains("sha256") && artefact["sha256"].is_string()) {
      named[artefact["path"].get<std::string>()] = artefact["sha256"].get<std::string>();
    }
  }
  for (const auto& [path, digest] : named) {
    const auto file = files.find(path);
    if (file == files.end()) {
      found.push_back({path, fmt::format("is missing, and the certificate has it with SHA-256 {}", digest)});
    } else if (const std::string own = base::sha256(file->second).hex(); own != digest) {
      found.push_back({path, fmt::format("has SHA-256 {}, and the certificate says {}", own, digest)});
    }
  }
  for (const auto& [path, content] : files) {
    if (path != kCertificateFile && path != kPageFile && named.count(path) == 0) {
      found.push_back({path, "is here, and the certificate does not name it"});
    }
  }
}

// Samples by process pair: an edit must be found even if nothing can be decided from what it left.
void check_pairs(const Session& session, const Json& certificate, std::vector<Difference>& found) {
  if (!certificate.contains(session.folder) || !certificate[session.folder].is_object() ||
      !certificate[session.folder].contains("pairs") || !certificate[session.folder]["pairs"].is_array()) {
    return;  // Said when all fields are compared.
  }
  int pair = 0;
  for (const Json& one : certificate[session.folder]["pairs"]) {
    const std::string own = pair_digest(session.samples, pair).hex();
    if (one.is_object() && one.contains("sha256") && one["sha256"] != own) {
      found.push_back({session.folder + "/samples.json",
                       fmt::format("the samples of process pair {} have SHA-256 {}, and the certificate says {}", pair,
                                   own, base::dump_compact(one["sha256"]))});
    }
    ++pair;
  }
}

std::size_t first_difference(const std::string& a, const std::string& b) {
  const auto [place, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  static_cast<void>(other);
  return static_cast<std::size_t>(place - a.begin());
}

// The two files that are written from the certificate itself: its JSON byte for byte, and the page.
void check_writing(const Files& files, const Json& certificate, const base::Digest& digest,
                   std::vector<Difference>& found) {
  const std::string& text = files.at(std::string(kCertificateFile));
  const std::string canonical = base::dump_pretty(certificate) + "\n";
  if (text != canonical) {
    found.push_back({std::string(kCertificateFile),
                     fmt::format("says the right things and is not written as Assay writes it, from byte {} on",
                                 first_difference(text, canonical))});
  }
  const auto page = files.find(std::string(kPageFile));
  const std::string expected = render_page(certificate, digest);
  if (page == files.end()) {
    found.push_back({std::string(kPageFile), "is missing"});
  } else if (page->second != expected) {
    const std::size_t at = first_difference(page->second, expected);
    const auto line =
        1 + std::count(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(std::min(at, expected.size())),
                       '\n');
    found.push_back({std::string(kPageFile),
                     fmt::format("differs from what the certificate gives, from byte {} in line {} on", at, line)});
  }
}

// Reads the evidence and holds everything against it; what stops that is a difference as well.
base::Result<void> check_evidence(const Files& files, const Json& given, Verification& verification) {
  ASSAY_TRY_ASSIGN(const Evidence evidence, read_evidence(files));
  verification.samples = evidence.sweep.samples.size();
  std::vector<Difference>& found = verification.differences;
  for (Difference& one : contradictions(evidence, files)) {
    found.push_back(std::move(one));
  }
  std::vector<const Session*> sessions = {&evidence.sweep};
  if (evidence.confirmation) {
    sessions.push_back(&*evidence.confirmation);
    verification.samples += evidence.confirmation->samples.size();
  }
  for (const Session* session : sessions) {
    check_pairs(*session, given, found);
    ASSAY_TRY_ASSIGN(
        const promote::Decision decision,
        promote::decide(session->request, session->evaluation, session->samples, evidence.configuration.policy));
    for (Difference& one : decision_differences(*session, decision)) {
      found.push_back(std::move(one));
    }
  }
  std::vector<Link> links;
  if (auto decoded = decode_links(given.contains("chain") ? given["chain"] : Json(), "/chain")) {
    links = std::move(*decoded);
  } else {
    found.push_back({"/chain", decoded.error().text()});
  }
  ASSAY_TRY_ASSIGN(const Json derived, derive(evidence, files, links, given["version"].get<int>()));
  for (Difference& one : differences(given, derived)) {
    found.push_back(std::move(one));
  }
  return {};
}

// Of a certificate whose every field was derived: all are there, and of their types.
void summarise(const Json& certificate, Verification& verification) {
  verification.campaign = certificate["campaign"].get<std::string>();
  verification.candidate = certificate["candidate"]["number"].get<int>();
  verification.name = certificate["candidate"]["name"].get<std::string>();
  verification.promoted_by = certificate["promotion"]["by"].get<std::string>();
  verification.status = certificate["status"].get<std::string>();
  for (const Json& link : certificate["chain"]) {
    verification.links.push_back({link["number"].get<std::int64_t>(),
                                  base::Digest::parse(link["digest"].get<std::string>()).value_or(base::Digest())});
  }
}

}  // namespace

base::Result<Verification> verify(const Files& files) {
  Verification verification;
  ASSAY_TRY_ASSIGN(const Json certificate, parse_certificate(files));
  verification.digest = base::sha256(files.at(std::string(kCertificateFile)));
  verification.files = files.size();
  check_artefacts(files, certificate, verification.differences);
  if (const auto read = check_evidence(files, certificate, verification); !read) {
    verification.differences.push_back({"evidence", read.error().text()});
  }
  if (verification.holds()) {
    check_writing(files, certificate, verification.digest, verification.differences);
  }
  if (verification.holds()) {
    summarise(certificate, verification);
  }
  return verification;
}

std::vector<Difference> chain_differences(const Verification& certificate,
                                          const std::vector<archive::ChainedDecision>& chain) {
  std::vector<Difference> found;
  std::size_t index = 0;
  for (const HeldLink& link : certificate.links) {
    const std::string place = fmt::format("/chain/{}", index++);
    const auto own = std::find_if(chain.begin(), chain.end(),
                                  [&](const archive::ChainedDecision& one) { return one.number == link.number; });
    if (own == chain.end()) {
      found.push_back(
          {place, fmt::format("is decision {}, and the archive's chain has none of that number", link.number)});
    } else if (own->digest != link.digest) {
      found.push_back({place + "/digest", fmt::format("is {}, and the archive's decision {} has {}", link.digest.hex(),
                                                      link.number, own->digest.hex())});
    }
  }
  return found;
}

Json encode(const Verification& verification) {
  Json differences = Json::array();
  for (const Difference& one : verification.differences) {
    differences.push_back({{"place", one.place}, {"what", one.what}});
  }
  const bool known = !verification.campaign.empty();
  return {{"holds", verification.holds()},
          {"campaign", known ? Json(verification.campaign) : Json()},
          {"candidate", known ? Json(verification.candidate) : Json()},
          {"status", known ? Json(verification.status) : Json()},
          {"digest", verification.digest.hex()},
          {"files", verification.files},
          {"samples", verification.samples},
          {"differences", std::move(differences)}};
}

}  // namespace assay::certify
