#include <assay/task/record_codec.hpp>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/base/error.hpp>

namespace assay::task {

namespace {

using base::Json;

// In the order of the enumerators.
constexpr std::array<std::string_view, 2> kSides = {"candidate", "incumbent"};

Side read_side(const Node& node) { return static_cast<Side>(node.word(kSides)); }

std::optional<double> read_optional_number(const Node& node) {
  return node.has_value() ? std::optional(node.number()) : std::nullopt;
}

Json encode_optional(const std::optional<double>& value) { return value ? encode_number(*value) : Json(); }

base::Digest read_digest(const Node& node) {
  if (!node.present()) {
    return {};
  }
  const std::size_t before = node.problem_count();
  const base::Result<base::Digest> digest = base::Digest::parse(node.text());
  if (!digest && node.problem_count() == before) {
    node.problem("must be 64 lowercase hexadecimal digits");
  }
  return digest.value_or(base::Digest{});
}

}  // namespace

std::string_view to_string(Side side) { return kSides.at(static_cast<std::size_t>(side)); }

Finding read_finding(const Node& node) {
  Finding finding;
  Fields fields(node);
  finding.kind = fields.required("kind").text(TextRule::non_empty);
  finding.message = fields.required("message").text();
  finding.side = read_side(fields.required("side"));
  const Node workload = fields.required("workload");
  if (workload.has_value()) {
    constexpr IntegerRange kIndex = {.minimum = 0, .maximum = std::numeric_limits<std::int32_t>::max()};
    finding.workload = static_cast<std::int32_t>(workload.integer(kIndex));
  }
  finding.tensor = fields.required("tensor").optional_text();
  const Node index = fields.required("index");
  if (index.has_value()) {
    finding.index = index.integers({.minimum = 0});
  }
  finding.expected = read_optional_number(fields.required("expected"));
  finding.got = read_optional_number(fields.required("got"));
  if (const Node picture = fields.optional("picture"); picture.present()) {
    finding.picture = picture.texts();
  }
  fields.refuse_others();
  return finding;
}

Json encode_finding(const Finding& finding) {
  Json json;
  json["kind"] = finding.kind;
  json["message"] = finding.message;
  json["side"] = to_string(finding.side);
  json["workload"] = finding.workload ? Json(*finding.workload) : Json();
  json["tensor"] = finding.tensor ? Json(*finding.tensor) : Json();
  json["index"] = finding.index ? Json(*finding.index) : Json();
  json["expected"] = encode_optional(finding.expected);
  json["got"] = encode_optional(finding.got);
  if (!finding.picture.empty()) {
    json["picture"] = finding.picture;
  }
  return json;
}

CandidateIdentity read_identity(const Node& node) {
  CandidateIdentity identity;
  Fields fields(node);
  identity.content = read_digest(fields.required("content"));
  identity.normalised = read_digest(fields.required("normalised"));
  fields.refuse_others();
  return identity;
}

Json encode_identity(const CandidateIdentity& identity) {
  Json json;
  json["content"] = identity.content.hex();
  json["normalised"] = identity.normalised.hex();
  return json;
}

KernelResources read_kernel(const Node& node) {
  KernelResources kernel;
  Fields fields(node);
  const auto quantity = [&](std::string_view name) { return fields.required(name).integer({.minimum = 0}); };
  kernel.symbol = fields.required("symbol").text(TextRule::non_empty);
  kernel.name = fields.required("name").text(TextRule::non_empty);
  kernel.architecture = fields.required("architecture").text(TextRule::non_empty);
  kernel.registers = quantity("registers");
  kernel.barriers = quantity("barriers");
  kernel.stack_bytes = quantity("stack_bytes");
  kernel.spill_store_bytes = quantity("spill_store_bytes");
  kernel.spill_load_bytes = quantity("spill_load_bytes");
  kernel.shared_bytes = quantity("shared_bytes");
  kernel.constant_bytes = quantity("constant_bytes");
  fields.refuse_others();
  return kernel;
}

Json encode_kernel(const KernelResources& kernel) {
  Json json;
  json["symbol"] = kernel.symbol;
  json["name"] = kernel.name;
  json["architecture"] = kernel.architecture;
  json["registers"] = kernel.registers;
  json["barriers"] = kernel.barriers;
  json["stack_bytes"] = kernel.stack_bytes;
  json["spill_store_bytes"] = kernel.spill_store_bytes;
  json["spill_load_bytes"] = kernel.spill_load_bytes;
  json["shared_bytes"] = kernel.shared_bytes;
  json["constant_bytes"] = kernel.constant_bytes;
  return json;
}

BuiltCode read_code(const Node& node) {
  BuiltCode code;
  Fields fields(node);
  for (const auto& [name, digest] :
       {std::pair{"ptx", &code.ptx}, std::pair{"sass", &code.sass}, std::pair{"machine_code", &code.machine_code}}) {
    if (const Node given = fields.optional(name); given.present()) {
      const std::size_t before = node.problem_count();
      const base::Digest read = read_digest(given);
      *digest = node.problem_count() == before ? read.hex() : std::string();
    }
  }
  fields.refuse_others();
  return code;
}

Json encode_code(const BuiltCode& code) {
  Json json = Json::object();
  for (const auto& [name, digest] :
       {std::pair{"ptx", &code.ptx}, std::pair{"sass", &code.sass}, std::pair{"machine_code", &code.machine_code}}) {
    if (!digest->empty()) {
      json[name] = *digest;
    }
  }
  return json;
}

BuildRecord read_build(const Node& node) {
  BuildRecord build;
  Fields fields(node);
  build.built = fields.required("built").boolean();
  build.from_cache = fields.required("from_cache").boolean();
  build.toolchain = fields.required("toolchain").text();
  build.command = fields.required("command").texts();
  build.object_sha256 = fields.required("object_sha256").text();
  build.log_file = fields.required("log_file").text();
  const Node seconds = fields.required("seconds");
  build.seconds = seconds.number();
  if (!(build.seconds >= 0)) {
    seconds.problem("must be at least 0");
  }
  if (const Node kernels = fields.optional("kernels"); kernels.present()) {  // Builds of before had none.
    for (const Node& kernel : kernels.items(1)) {
      build.kernels.push_back(read_kernel(kernel));
    }
  }
  if (const Node tier = fields.optional("tier"); tier.present()) {
    build.tier = static_cast<Tier>(tier.word(tier_names()));
  }
  if (const Node code = fields.optional("code"); code.present()) {  // Builds of before had none.
    build.code = read_code(code);
  }
  if (const Node cut = fields.optional("log_bytes_cut"); cut.present()) {
    build.log_bytes_cut = static_cast<std::uint64_t>(
        cut.integer({.minimum = 1, .maximum = std::numeric_limits<std::int64_t>::max() / 2}));
  }
  fields.refuse_others();
  return build;
}

Json encode_build(const BuildRecord& build) {
  Json json;
  json["built"] = build.built;
  json["from_cache"] = build.from_cache;
  json["toolchain"] = build.toolchain;
  json["command"] = build.command;
  json["object_sha256"] = build.object_sha256;
  json["log_file"] = build.log_file;
  json["seconds"] = encode_number(build.seconds);
  if (!build.kernels.empty()) {
    for (const KernelResources& kernel : build.kernels) {
      json["kernels"].push_back(encode_kernel(kernel));
    }
  }
  if (build.tier) {
    json["tier"] = to_string(*build.tier);
  }
  if (build.code != BuiltCode{}) {
    json["code"] = encode_code(build.code);
  }
  if (build.log_bytes_cut > 0) {
    json["log_bytes_cut"] = build.log_bytes_cut;
  }
  return json;
}

WorkloadTiming read_timing(const Node& node) {
  WorkloadTiming timing;
  Fields fields(node);
  timing.uuid = fields.required("uuid").text(TextRule::non_empty);
  for (const auto& [name, member] : fields.required("axes").entries()) {
    timing.axes.emplace_back(name, member.integer({.minimum = 0}));
  }
  timing.candidate_ns = read_optional_number(fields.required("candidate_ns"));
  timing.incumbent_ns = read_optional_number(fields.required("incumbent_ns"));
  timing.log_ratio = read_optional_number(fields.required("log_ratio"));
  timing.log_ratio_lower = read_optional_number(fields.required("log_ratio_lower"));
  timing.log_ratio_upper = read_optional_number(fields.required("log_ratio_upper"));
  timing.largest_absolute_error = read_optional_number(fields.optional("largest_absolute_error"));
  timing.largest_relative_error = read_optional_number(fields.optional("largest_relative_error"));
  timing.floor_ns = read_optional_number(fields.optional("floor_ns"));
  timing.floor_limit = fields.optional("floor_limit").text();
  fields.refuse_others();
  return timing;
}

Json encode_timing(const WorkloadTiming& timing) {
  Json json;
  json["uuid"] = timing.uuid;
  json["axes"] = Json::object();
  for (const auto& [name, value] : timing.axes) {
    json["axes"][name] = value;
  }
  json["candidate_ns"] = encode_optional(timing.candidate_ns);
  json["incumbent_ns"] = encode_optional(timing.incumbent_ns);
  json["log_ratio"] = encode_optional(timing.log_ratio);
  json["log_ratio_lower"] = encode_optional(timing.log_ratio_lower);
  json["log_ratio_upper"] = encode_optional(timing.log_ratio_upper);
  if (timing.largest_absolute_error) {
    json["largest_absolute_error"] = encode_number(*timing.largest_absolute_error);
  }
  if (timing.largest_relative_error) {
    json["largest_relative_error"] = encode_number(*timing.largest_relative_error);
  }
  if (timing.floor_ns) {
    json["floor_ns"] = encode_number(*timing.floor_ns);
    json["floor_limit"] = timing.floor_limit;
  }
  return json;
}

namespace {

// What the comparison of the two sides and the incumbent's with itself have in common.
template <class T>
void read_ratios(Fields& fields, T& comparison) {
  const Node pairs = fields.required("pairs");
  comparison.pairs = static_cast<int>(pairs.integer({.minimum = 0, .maximum = std::numeric_limits<int>::max()}));
  for (const Node& ratio : fields.required("pair_log_ratios").items()) {
    comparison.pair_log_ratios.push_back(ratio.number());
  }
  comparison.log_ratio = fields.required("log_ratio").number();
  comparison.log_ratio_lower = fields.required("log_ratio_lower").number();
  comparison.log_ratio_upper = fields.required("log_ratio_upper").number();
}

template <class T>
Json encode_ratios(const T& comparison) {
  Json json;
  json["pairs"] = comparison.pairs;
  json["pair_log_ratios"] = Json::array();
  for (const double ratio : comparison.pair_log_ratios) {
    json["pair_log_ratios"].push_back(encode_number(ratio));
  }
  json["log_ratio"] = encode_number(comparison.log_ratio);
  json["log_ratio_lower"] = encode_number(comparison.log_ratio_lower);
  json["log_ratio_upper"] = encode_number(comparison.log_ratio_upper);
  return json;
}

}  // namespace

Comparison read_comparison(const Node& node) {
  Comparison comparison;
  Fields fields(node);
  read_ratios(fields, comparison);
  comparison.guard_failures = fields.required("guard_failures").texts();
  if (const Node aa = fields.optional("aa"); aa.present()) {
    Fields of_self(aa);
    read_ratios(of_self, comparison.aa.emplace());
    comparison.aa->noise_floor = of_self.required("noise_floor").number();
    of_self.refuse_others();
  }
  fields.refuse_others();
  return comparison;
}

Json encode_comparison(const Comparison& comparison) {
  Json json = encode_ratios(comparison);
  json["guard_failures"] = comparison.guard_failures;
  if (comparison.aa) {
    json["aa"] = encode_ratios(*comparison.aa);
    json["aa"]["noise_floor"] = encode_number(comparison.aa->noise_floor);
  }
  return json;
}

}  // namespace assay::task
