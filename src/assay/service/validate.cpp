#include <assay/service/validate.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <type_traits>

#include <assay/base/text.hpp>
#include <assay/os/file.hpp>
#include <assay/task/constraint.hpp>
#include <assay/task/readers.hpp>
#include <assay/task/runnable.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kStdinLimit = std::size_t{1} << 28U;

void append_problems(std::vector<task::Problem>& to, std::string_view prefix,
                     const std::vector<task::Problem>& problems) {
  for (const task::Problem& problem : problems) {
    to.push_back({std::string(prefix) + problem.pointer, problem.message});
  }
}

std::string compact_text(const base::Json& json) { return base::dump_compact(json); }

// Documents of which the dialects differ.
template <class T>
Validation finish(const task::Decoded<T>& decoded, task::DetectedDialect dialect, const ValidateOptions& options) {
  Validation result;
  result.problems = decoded.problems;
  result.dialect = std::move(dialect);
  if (!decoded.value) {
    return result;
  }
  const task::Dialect form = options.write_as.value_or(result.dialect.dialect);
  if (const auto json = task::encode_as(*decoded.value, form)) {
    result.normalised = compact_text(*json);
  } else {
    result.problems = task::inexpressible(*decoded.value, form);
  }
  return result;
}

task::DetectedDialect chosen_dialect(const ValidateOptions& options, task::DetectedDialect detected) {
  return options.dialect ? task::DetectedDialect{*options.dialect, "it was asked for"} : std::move(detected);
}

Validation validate_definition(const ValidateOptions& options, const base::Json& json) {
  task::DetectedDialect dialect = chosen_dialect(options, task::detect_definition_dialect(json));
  const auto decoded = task::decode_definition(json, dialect.dialect);
  Validation result = finish(decoded, std::move(dialect), options);
  if (decoded.value) {
    append_problems(result.notes, "", task::obstacles(*decoded.value));
  }
  return result;
}

Validation validate_solution(const ValidateOptions& options, const base::Json& json) {
  task::DetectedDialect dialect = chosen_dialect(options, task::detect_solution_dialect(json));
  const auto decoded = task::decode_solution(json, dialect.dialect);
  return finish(decoded, std::move(dialect), options);
}

// Holds a workload to its definition. A violated constraint does not refuse it: published datasets have such workloads.
void hold_to_definition(const task::Definition& definition, const task::Workload& workload, const std::string& prefix,
                        Validation& result) {
  append_problems(result.problems, prefix, task::workload_problems(definition, workload));
  append_problems(result.notes, prefix, task::obstacles(definition, workload));
  for (const task::ConstraintAnswer& answer : task::evaluate_constraints(definition, workload)) {
    if (answer.state != task::ConstraintState::holds) {
      result.notes.push_back({prefix, fmt::format("the constraint \"{}\" {}", answer.constraint, answer.explanation)});
    }
  }
}

// Workloads and traces are the same in both dialects.
template <class T>
Validation validate_shared(const ValidateOptions& options, const task::Decoded<T>& decoded, const std::string& prefix) {
  Validation result;
  result.problems = decoded.problems;
  result.dialect = {options.dialect.value_or(task::Dialect::flashinfer_bench),
                    options.dialect ? "it was asked for" : "both dialects have the same workloads and traces"};
  if (!decoded.value) {
    return result;
  }
  if (options.definition) {
    if constexpr (std::is_same_v<T, task::Trace>) {
      if (decoded.value->definition != options.definition->name) {
        result.problems.push_back({"/definition", fmt::format("is \"{}\", but the definition given is \"{}\"",
                                                              decoded.value->definition, options.definition->name)});
      }
      hold_to_definition(*options.definition, decoded.value->workload, prefix, result);
    } else {
      hold_to_definition(*options.definition, *decoded.value, prefix, result);
    }
  }
  if (result.problems.empty()) {
    result.normalised = compact_text(task::encode(*decoded.value));
  }
  return result;
}

Validation validate_one(const ValidateOptions& options, std::string_view text, std::string_view source) {
  const auto json = base::parse_json(text, source);
  if (!json) {
    Validation result;
    result.problems.push_back({"", json.error().message});
    return result;
  }
  switch (options.kind) {
    case DocumentKind::definition:
      return validate_definition(options, *json);
    case DocumentKind::workload: {
      // A line of a workload file is a trace without solution and evaluation; the bare workload is accepted as well.
      if (json->is_object() && json->contains("workload") && !json->contains("uuid")) {
        return validate_shared(options, task::decode_trace(*json), "/workload");
      }
      return validate_shared(options, task::decode_workload(*json), "");
    }
    case DocumentKind::solution:
      return validate_solution(options, *json);
    case DocumentKind::trace:
      return validate_shared(options, task::decode_trace(*json), "/workload");
  }
  return {};
}

base::Json encode_problems(const std::vector<task::Problem>& problems) {
  base::Json array = base::Json::array();
  for (const task::Problem& problem : problems) {
    array.push_back({{"pointer", problem.pointer}, {"message", problem.message}});
  }
  return array;
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

Validation validate(const ValidateOptions& options, std::string_view text, std::string_view source) {
  if (may_be_lines(options.kind) && !base::parse_json(text, source)) {
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
        const Validation one = validate_one(options, line, fmt::format("{} line {}", source, line_number));
        const std::string prefix = fmt::format("line {}: ", line_number);
        append_problems(all.problems, prefix, one.problems);
        append_problems(all.notes, prefix, one.notes);
        all.dialect = one.dialect;
        all.normalised += one.normalised + "\n";
      }
      if (!all.problems.empty()) {
        all.normalised.clear();
      }
      return all;
    }
  }
  return validate_one(options, text, source);
}

base::Json encode(const Validation& validation) {
  base::Json json;
  json["accept"] = validation.accepted();
  json["dialect"] = {{"name", task::to_string(validation.dialect.dialect)}, {"reason", validation.dialect.reason}};
  json["errors"] = encode_problems(validation.problems);
  json["notes"] = encode_problems(validation.notes);
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
