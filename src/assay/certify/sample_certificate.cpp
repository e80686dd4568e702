#include <assay/certify/sample_certificate.hpp>

#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/certify/collect.hpp>

namespace assay::certify::testing {

using control::testing::must;

control::CampaignConfiguration sample_configuration() {
  control::CampaignConfiguration configuration = control::testing::sample_configuration();
  configuration.workloads.resize(2);
  configuration.supplied = {control::testing::sample_solution("a|b", "a\n// speed: 0.9\n")};
  configuration.rounds = 1;
  configuration.policy.name = "shared";
  configuration.policy.sweep.test = task::PairedTest::evidence;
  configuration.policy.sweep.maximum_pairs = 40;
  configuration.policy.sweep.samples_per_pair = 1;
  configuration.policy.sweep.self_comparison = false;
  configuration.policy.sweep.futility = 0;
  return configuration;
}

void run_beside_another(control::testing::Laboratory& laboratory) {
  must(laboratory.archive().create_campaign({"other", "scale", "{}", ""}));
  std::int64_t entries = 0;
  const control::Observer observer{[&](const control::CampaignState& state, const std::string& /*line*/) {
    if (state.awaiting) {
      must(laboratory.archive().append({"other", entries, {{"candidate_refused", "{}"}}}));
      ++entries;
    }
  }};
  must(laboratory.run(observer));
}

const Files& sample_files() {
  static const Files files = [] {
    control::testing::Laboratory laboratory(sample_configuration());
    run_beside_another(laboratory);
    return must(collect(laboratory.archive(), "scale-search", std::nullopt));
  }();
  return files;
}

void edit(Files& files, const std::string& path, const std::function<void(base::Json&)>& change) {
  base::Json json = must(base::parse_json(files.at(path), path));
  change(json);
  files[path] = path == kCertificateFile ? base::dump_pretty(json) + "\n" : base::dump_compact(json);
}

void forge_digests(Files& files, const std::string& folder) {
  const auto digest = [&](const std::string& path) { return base::sha256(files.at(path)).hex(); };
  if (files.count(folder + "/manifest.json") != 0) {
    edit(files, folder + "/manifest.json", [&](base::Json& manifest) {
      for (auto& [name, entry] : manifest["files"].items()) {
        entry["sha256"] = digest(folder + "/" + name);
        entry["bytes"] = files.at(folder + "/" + name).size();
      }
    });
  }
  edit(files, std::string(kCertificateFile), [&](base::Json& certificate) {
    for (base::Json& artefact : certificate["artefacts"]) {
      const auto path = artefact["path"].get<std::string>();
      artefact["sha256"] = digest(path);
      artefact["bytes"] = files.at(path).size();
    }
  });
}

std::string refusal(const Files& files) {
  const auto verification = verify(files);
  if (!verification) {
    return "error: " + verification.error().text();
  }
  std::string text;
  for (const Difference& one : verification->differences) {
    text += one.place + ": " + one.what + "\n";
  }
  return text;
}

}  // namespace assay::certify::testing
