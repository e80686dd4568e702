#include <assay/evaluate/sanitizer_report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <assay/base/text.hpp>

namespace assay::evaluate {

namespace {

constexpr std::size_t kMostErrors = 8;
constexpr std::size_t kMostWords = 3;
constexpr std::size_t kLongestPart = 300;
constexpr std::string_view kPrefix = "=========";

// What the tool says of itself or of the run, with no place in a kernel.
constexpr std::array<std::string_view, 5> kNoErrors = {"COMPUTE-SANITIZER", "Saved host backtrace",
                                                       "Target application returned", "Program hit",
                                                       "ERROR SUMMARY: 0 errors were not printed"};

std::string part(std::string_view text) { return std::string(base::trim(text).substr(0, kLongestPart)); }

// The text after `before`, if the line starts with it.
std::optional<std::string_view> after(std::string_view line, std::string_view before) {
  return line.starts_with(before) ? std::optional(line.substr(before.size())) : std::nullopt;
}

// "ERROR SUMMARY: 3 errors", "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)": the number of errors.
std::optional<std::int64_t> summary_of(std::string_view line) {
  std::string_view number;
  if (const auto errors = after(line, "ERROR SUMMARY: ")) {
    if (errors->find("were not printed") != std::string_view::npos) {
      return std::nullopt;  // A second such line, of how many were left out.
    }
    number = *errors;
  } else if (line.starts_with("RACECHECK SUMMARY: ")) {
    const std::size_t open = line.find('(');
    number = open == std::string_view::npos ? std::string_view() : line.substr(open + 1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return !number.empty() && error == std::errc() && value >= 0 ? std::optional(value) : std::nullopt;
}

// "(31,0,0) in block (2,0,0)"
void read_thread(std::string_view text, SanitizerError& error) {
  constexpr std::string_view kBetween = " in block ";
  const std::size_t at = text.find(kBetween);
  error.thread = part(text.substr(0, at));
  if (at != std::string_view::npos) {
    error.block = part(text.substr(at + kBetween.size()));
  }
}

void read_detail(std::string_view line, SanitizerError& error) {
  if (const auto place = after(line, "at "); place && error.kernel.empty()) {
    error.kernel = part(*place);
  } else if (const auto thread = after(line, "by thread "); thread && error.thread.empty()) {
    read_thread(*thread, error);
  } else if (const auto other = after(line, "and "); other && !error.address.empty()) {
    // Of a race the first access on the other side is enough.
    if (other->starts_with("is ")) {
      error.address += " and " + part(*other);
    }
  } else if (other && error.what.find("Race reported") != std::string::npos) {
    error.address = "and " + part(*other);
  } else if (error.address.empty() && (line.starts_with("Address ") || line.starts_with("Access "))) {
    error.address = part(line);
  }
}

// A line of the tool's that is not indented starts an error, unless it is one of those that start nothing.
bool starts_an_error(std::string_view line) {
  return std::none_of(kNoErrors.begin(), kNoErrors.end(), [&](std::string_view no) { return line.starts_with(no); }) &&
         line.find("SUMMARY:") == std::string_view::npos && !line.starts_with("Warning:");
}

}  // namespace

SanitizerReport parse_sanitizer_report(std::string_view text) {
  SanitizerReport report;
  SanitizerError* current = nullptr;
  for (const std::string& whole : base::split(text, '\n')) {
    const auto said = after(whole, kPrefix);
    if (!said) {
      continue;  // The candidate's own.
    }
    const std::string_view line = base::trim(*said);
    const bool indented = said->starts_with("  ");
    if (line.empty()) {
      current = nullptr;
    } else if (indented) {
      if (current != nullptr) {
        read_detail(line, *current);
      }
    } else if (const auto count = summary_of(line)) {
      report.error_count = count;
    } else if (starts_an_error(line)) {
      current = nullptr;
      if (report.errors.size() < kMostErrors) {
        current = &report.errors.emplace_back();
        current->what = part(after(line, "Error: ").value_or(line));
        // Of a race the place is on the same line: "Race reported between Write access at kernel+0x90".
        if (const std::size_t at = current->what.find(" at "); at != std::string::npos) {
          current->kernel = current->what.substr(at + 4);
          current->what.resize(at);
        }
      }
    }
  }
  return report;
}

std::string describe(const SanitizerError& error) {
  std::string text = error.what;
  if (!error.kernel.empty()) {
    text += " at " + error.kernel;
  }
  if (!error.thread.empty()) {
    text += fmt::format(" by thread {}{}", error.thread, error.block.empty() ? "" : " in block " + error.block);
  }
  if (!error.address.empty()) {
    text += (error.address.starts_with("and ") ? " " : ": ") + error.address;
  }
  return base::printable(text);
}

std::string last_words_of_sanitizer(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& whole : base::split(text, '\n')) {
    if (const auto said = after(whole, kPrefix); said && !base::trim(*said).empty()) {
      lines.emplace_back(part(*said));
    }
  }
  if (lines.size() > kMostWords) {
    lines.erase(lines.begin(), lines.end() - kMostWords);
  }
  return lines.empty() ? "it said nothing" : "it said: " + base::printable(base::join(lines, "; "));
}

}  // namespace assay::evaluate
