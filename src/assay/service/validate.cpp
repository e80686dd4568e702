#include <assay/service/validate.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/os/file.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kStdinLimit = std::size_t{1} << 28U;

template <class T>
Validation finish(const task::Decoded<T>& decoded) {
  Validation result;
  result.problems = decoded.problems;
  if (result.problems.empty() && decoded.value) {
    result.normalised = base::dump_compact(task::encode(*decoded.value));
  }
  return result;
}

Validation validate_one(DocumentKind kind, std::string_view text, std::string_view source) {
  const auto json = base::parse_json(text, source);
  if (!json) {
    Validation result;
    result.problems.push_back({"", json.error().message});
    return result;
  }
  switch (kind) {
    case DocumentKind::definition:
      return finish(task::decode_definition(*json));
    case DocumentKind::workload: {
      // A line of a workload file is a trace without solution and evaluation; the bare workload is accepted as well.
      if (json->is_object() && json->contains("workload") && !json->contains("uuid")) {
        return finish(task::decode_trace(*json));
      }
      return finish(task::decode_workload(*json));
    }
    case DocumentKind::solution:
      return finish(task::decode_solution(*json));
    case DocumentKind::trace:
      return finish(task::decode_trace(*json));
  }
  return {};
}

bool may_be_lines(DocumentKind kind) { return kind == DocumentKind::workload || kind == DocumentKind::trace; }

}  // namespace

std::optional<DocumentKind> parse_document_kind(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, DocumentKind>, 4> kKinds{{
      {"definition", DocumentKind::definition},
      {"workload", DocumentKind::workload},
      {"solution", DocumentKind::solution},
      {"trace", DocumentKind::trace},
  }};
  for (const auto& [name, kind] : kKinds) {
    if (name == text) {
      return kind;
    }
  }
  return std::nullopt;
}

Validation validate(DocumentKind kind, std::string_view text, std::string_view source) {
  if (may_be_lines(kind) && !base::parse_json(text, source)) {
    std::vector<std::pair<std::size_t, std::string>> lines;
    std::size_t number = 0;
    for (const std::string& line : base::split(text, '\n')) {
      ++number;
      if (!base::trim(line).empty()) {
        lines.emplace_back(number, line);
      }
    }
    if (lines.size() > 1) {
      Validation all;
      all.documents = lines.size();
      for (const auto& [line_number, line] : lines) {
        const Validation one = validate_one(kind, line, fmt::format("{} line {}", source, line_number));
        for (const task::Problem& problem : one.problems) {
          all.problems.push_back({fmt::format("line {}: {}", line_number, problem.pointer), problem.message});
        }
        all.normalised += one.normalised + "\n";
      }
      if (!all.problems.empty()) {
        all.normalised.clear();
      }
      return all;
    }
  }
  return validate_one(kind, text, source);
}

base::Json encode(const Validation& validation) {
  base::Json json;
  json["accept"] = validation.accepted();
  json["errors"] = base::Json::array();
  for (const task::Problem& problem : validation.problems) {
    json["errors"].push_back({{"pointer", problem.pointer}, {"message", problem.message}});
  }
  json["normalized"] = nullptr;
  if (validation.accepted() && validation.documents == 1) {
    json["normalized"] = base::Json::parse(validation.normalised);
  } else if (validation.accepted()) {
    json["normalized"] = base::Json::array();
    for (const std::string& line : base::split(base::trim(validation.normalised), '\n')) {
      json["normalized"].push_back(base::Json::parse(line));
    }
  }
  return json;
}

base::Result<std::string> read_document(const std::string& path) {
  if (path != "-") {
    return os::read_file(path);
  }
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return base::system_error("stdin.read", "cannot read standard input", errno);
    }
    if (count == 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kStdinLimit) {
      return base::input_error("stdin.too_large", "standard input is larger than 256 MiB; give a file");
    }
  }
}

}  // namespace assay::service
