#include <assay/certify/page.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/certify/version.hpp>

namespace assay::certify {
namespace {

using base::Json;

// One line of text that Markdown leaves alone.
std::string plain(const std::string& text) {
  const std::string printable = base::printable(text);
  std::string result;
  for (std::size_t i = 0; i < printable.size(); ++i) {
    const char c = printable[i];
    if (c == '\n' || c == '\t' || c == '\r') {
      result += ' ';
      continue;
    }
    // Addresses become links by themselves in some dialects.
    const bool of_address = (c == ':' && printable.compare(i, 3, "://") == 0) || (c == '.' && result.ends_with("www"));
    if (of_address || std::string_view("\\`*_{}[]<>#|!&~@").find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

std::string plain(const Json& text) { return plain(text.get<std::string>()); }

// Infinite numbers are stored as text.
double number_of(const Json& value) {
  if (value.is_number()) {
    return value.get<double>();
  }
  const std::string text = value.is_string() ? value.get<std::string>() : std::string();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "Infinity" ? infinity : text == "-Infinity" ? -infinity : std::nan("");
}

std::string contestant(const Json& solution) {
  const int number = solution["number"].get<int>();
  return number == 0 ? fmt::format("the baseline {}", plain(solution["name"]))
                     : fmt::format("candidate {} ({})", number, plain(solution["name"]));
}

std::string verdict_words(const Json& decision) {
  return decision["verdict"] == "promote" ? "better" : "not shown to be better";
}

std::string speedup_words(const Json& decision) {
  return fmt::format("{:.4f} times as fast (interval {:.4f} to {:.4f}, {} workloads, {} process pairs)",
                     number_of(decision["speedup"]), number_of(decision["speedup_lower"]),
                     number_of(decision["speedup_upper"]), decision["workloads"].get<int>(),
                     decision["pairs"].get<int>());
}

std::string status_words(const Json& certificate) {
  const std::string status = certificate["status"].get<std::string>();
  if (status == "confirmed") {
    return "Confirmed in a new session against the baseline.";
  }
  return status == "not_confirmed"
             ? "**Not confirmed**: the new session against the baseline does not show the gain."
             : "**Not confirmed yet**: the figures below are those of the session that chose the candidate.";
}

std::string test_words_of(const Json& test) {
  return fmt::format(
      "Hypothesis: {}. Decided by {} at alpha {:.6g}: {}. Log e-value against it {:.4g}, for the opposite {:.4g}; "
      "{:.4g} "
      "is asked for where evidence decides. Log-ratio {:.6g} (interval {:.6g} to {:.6g}); second clock: {}.\n",
      plain(test["hypothesis"]), plain(test["decided_by"]), number_of(test["alpha"]), plain(test["conclusion"]),
      number_of(test["log_e_value"]), number_of(test["log_e_value_of_the_opposite"]),
      number_of(test["log_e_value_needed"]), number_of(test["log_ratio"]["mean"]),
      number_of(test["log_ratio"]["lower"]), number_of(test["log_ratio"]["upper"]), plain(test["second_clock"]));
}

std::string guard_words(const char* what, const Json& guard) {
  return fmt::format("- {}: {:.4f}, at most {:.4f} is allowed{}\n", what, number_of(guard["ratio"]),
                     number_of(guard["at_most"]), guard["too_slow"].get<bool>() ? ": **too slow**" : "");
}

std::string self_words(const Json& self) {
  return fmt::format(
      "The incumbent against a copy of itself: log-ratio {:.6g} (interval {:.6g} to {:.6g}), noise floor "
      "{:.6g}{}.\n\n",
      number_of(self["log_ratio"]["mean"]), number_of(self["log_ratio"]["lower"]),
      number_of(self["log_ratio"]["upper"]), number_of(self["noise_floor"]),
      self["void"].get<bool>() ? ": **the session is void**" : "");
}

std::string counted_words(const Json& correctness, int version) {
  if (version == kFirstCertificateVersion) {
    return fmt::format("{} failures in {} checked calls of the candidate (and {} on difficult inputs, not counted)",
                       correctness["failures"].get<int>(), correctness["trials"].get<std::int64_t>(),
                       correctness["difficult_inputs"].get<std::int64_t>());
  }
  return fmt::format(
      "{} failures in {} trials, which are checked calls of the candidate on new inputs as in use (repeated and "
      "perturbed inputs are not counted, nor are {} difficult ones)",
      correctness["failures"].get<int>(), correctness["trials"].get<std::int64_t>(),
      correctness["difficult_inputs"].get<std::int64_t>());
}

std::string correctness_words(const Json& correctness, int version) {
  return fmt::format(
      "{}: with {:.4g} % confidence wrong in below {:.4g} % of calls, each workload as often as any other; weakest "
      "stratum {}: below {:.4g} %.\n\n",
      counted_words(correctness, version), 100 * number_of(correctness["confidence"]),
      100 * number_of(correctness["in_use_below"]), plain(correctness["weakest"]),
      100 * number_of(correctness["weakest_below"]));
}

std::string workload_table(const Json& session) {
  std::string text =
      "| workload | candidate, ns | compared with, ns | log-ratio | interval | trials | wrong in below |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  const Json& workloads = session["guards"]["workloads"];
  const Json& strata = session["correctness"]["strata"];
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Json& one = workloads[i];
    text +=
        fmt::format("| {}{} | {:.6g} | {:.6g} | {:.6g} | {:.6g} to {:.6g} | {} | {:.4g} % |\n", plain(one["workload"]),
                    one["too_slow"].get<bool>() ? " (too slow)" : "", number_of(one["candidate_ns"]),
                    number_of(one["incumbent_ns"]), number_of(one["log_ratio"]["mean"]),
                    number_of(one["log_ratio"]["lower"]), number_of(one["log_ratio"]["upper"]),
                    strata[i]["trials"].get<std::int64_t>(), 100 * number_of(strata[i]["below"]));
  }
  return text;
}

std::string session_section(const char* title, const Json& session, int version) {
  std::string text =
      fmt::format("\n## {}: {}\n\nCandidate {} against {}, seed {}, begun {}. The judge said: {}: {}\n\n", title,
                  plain(session["evaluation"]), session["candidate"].get<int>(), session["against"].get<int>(),
                  session["seed"].get<std::uint64_t>(), plain(session["started"]), plain(session["outcome"]),
                  plain(session["cause"]));
  for (const Json& reason : session["decision"]["reasons"]) {
    text += fmt::format("- {}\n", plain(reason));
  }
  if (session["test"].is_object()) {
    text += "\n" + test_words_of(session["test"]) + "\n";
    text += guard_words("mean latency, candidate over the other", session["guards"]["mean_latency"]);
    text += guard_words("95th percentile of the workloads' ratios", session["guards"]["p95"]);
    text += fmt::format("- each workload: at most {:.4f} is allowed\n\n",
                        number_of(session["guards"]["each_workload_at_most"]));
    if (session["incumbent_against_itself"].is_object()) {
      text += self_words(session["incumbent_against_itself"]);
    }
    text += correctness_words(session["correctness"], version) + workload_table(session);
  }
  text += "\n| environment | |\n| --- | --- |\n";
  for (const auto& [name, value] : session["environment"].items()) {
    text += fmt::format("| {} | {} |\n", plain(name), plain(value));
  }
  return text;
}

std::string hypotheses_section(const Json& hypotheses) {
  std::string text = fmt::format(
      "\n## Hypotheses tested\n\nThe policy's alpha of {:.6g} is shared by {}.\n\n"
      "| number | candidate | evaluation | level | verdict | speed-up | interval |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n",
      number_of(hypotheses["alpha"]), plain(hypotheses["shared_by"]));
  for (const Json& one : hypotheses["tested"]) {
    text += fmt::format("| {} | {} | {} | {:.6g} | {} | {:.4f} | {:.4f} to {:.4f} |\n", one["number"].get<int>(),
                        one["candidate"].get<int>(), plain(one["evaluation"]), number_of(one["level"]),
                        plain(one["verdict"]), number_of(one["speedup"]), number_of(one["speedup_lower"]),
                        number_of(one["speedup_upper"]));
  }
  return text;
}

std::string digest_section(const Json& certificate, const base::Digest& digest) {
  const Json& last = certificate["chain"].back();
  std::string text = fmt::format(
      "\n## Digests\n\nLink {} of the archive's chain of decisions has digest `{}`. The "
      "SHA-256 of certificate.json is `{}`.\n\n| file | SHA-256 | bytes |\n| --- | --- | --- |\n",
      last["number"].get<std::int64_t>(), last["digest"].get<std::string>(), digest.hex());
  for (const Json& one : certificate["artefacts"]) {
    text += fmt::format("| {} | {} | {} |\n", plain(one["path"]), one["sha256"].get<std::string>(),
                        one["bytes"].get<std::uint64_t>());
  }
  return text;
}

}  // namespace

std::string render_page(const Json& certificate, const base::Digest& digest) {
  const Json& promotion = certificate["promotion"];
  std::string text = fmt::format("# Certificate: {} for {}\n\n", plain(certificate["candidate"]["name"]),
                                 plain(certificate["definition"]["name"]));
  text += fmt::format("In campaign {} on {}, {} took the place of {}. {}\n\n", plain(certificate["campaign"]),
                      plain(certificate["device"]), contestant(certificate["candidate"]),
                      contestant(certificate["incumbent"]), status_words(certificate));
  text += fmt::format("- Promoted by {} at {}: {}\n", plain(promotion["by"]), plain(promotion["at"]),
                      plain(promotion["why"]));
  text += fmt::format("- Sweep: {}; {}\n", verdict_words(certificate["sweep"]["decision"]),
                      speedup_words(certificate["sweep"]["decision"]));
  if (certificate["confirmation"].is_object()) {
    const Json& decision = certificate["confirmation"]["decision"];
    text += fmt::format("- Confirmation, against {}: {}; {}\n", contestant(certificate["baseline"]),
                        verdict_words(decision), speedup_words(decision));
  }
  text += fmt::format("- Policy: {}, SHA-256 `{}`\n- Content of the candidate: `{}`\n",
                      plain(certificate["policy"]["name"]), certificate["policy"]["sha256"].get<std::string>(),
                      certificate["candidate"]["content"].get<std::string>());
  const int version = certificate["version"].get<int>();
  text += session_section("Sweep", certificate["sweep"], version);
  if (certificate["confirmation"].is_object()) {
    text += session_section("Confirmation", certificate["confirmation"], version);
  }
  return text + hypotheses_section(certificate["hypotheses"]) + digest_section(certificate, digest);
}

}  // namespace assay::certify
