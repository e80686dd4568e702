#include <fmt/format.h>
#include <algorithm>

#include <toml++/toml.h>
#include <map>
#include <nlohmann/json.hpp>

#include <assay/promote/policy_fields.hpp>

namespace assay::promote {
namespace {

using base::Json;

// Where each value of the document stands, by its JSON pointer.
using Lines = std::map<std::string, std::uint32_t>;

Json to_json(const toml::node& node, const std::string& pointer, Lines& lines) {
  lines[pointer] = node.source().begin.line;
  if (const toml::table* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      object[name] = to_json(value, pointer + "/" + base::pointer_token(name), lines);
    }
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    Json values = Json::array();
    for (const toml::node& element : *array) {
      values.push_back(to_json(element, fmt::format("{}/{}", pointer, values.size()), lines));
    }
    return values;
  }
  if (const auto* integer = node.as_integer()) {
    return integer->get();
  }
  if (const auto* real = node.as_floating_point()) {
    return task::encode_number(real->get());
  }
  if (const auto* flag = node.as_boolean()) {
    return flag->get();
  }
  // Dates and times are no fields of a policy: as text they get the reader's "must be ..., not the text".
  return node.value<std::string>().value_or("a date or time");
}

// The line of the value, or of the nearest table around it where the value is missing.
std::uint32_t line_of(const Lines& lines, std::string pointer) {
  while (true) {
    const auto found = lines.find(pointer);
    if (found != lines.end() && found->second > 0) {
      return found->second;
    }
    if (pointer.empty()) {
      return 1;
    }
    pointer.erase(pointer.rfind('/'));
  }
}

// Shows a pointer as TOML writes it: /gate/alpha is gate.alpha.
std::string dotted(std::string_view pointer) {
  std::string text(pointer.substr(pointer.empty() ? 0 : 1));
  for (char& c : text) {
    c = c == '/' ? '.' : c;
  }
  return text;
}

std::string sentence(std::string_view source, const Lines& lines, const task::Problem& problem) {
  const std::string field = dotted(problem.pointer);
  return fmt::format("{}:{}: {}{}", source, line_of(lines, problem.pointer),
                     field.empty() ? "the policy " : field + " ", problem.message);
}

}  // namespace

base::Result<Policy> parse_policy(std::string_view toml, std::string_view source) {
  // TOML allows none, and the library's parser meets some with an assertion in place of an error.
  const auto control = std::find_if(toml.begin(), toml.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f;
  });
  if (control != toml.end()) {
    return base::input_error("policy.syntax",
                             fmt::format("{}:{}: not valid TOML: it has a control character: remove it", source,
                                         1 + std::count(toml.begin(), control, '\n')));
  }
  toml::table table;
  try {
    table = toml::parse(toml, source);
  } catch (const toml::parse_error& failure) {
    return base::input_error("policy.syntax",
                             fmt::format("{}:{}: not valid TOML: {}: mend the line; policies/quick.toml shows the form",
                                         source, failure.source().begin.line, failure.description()));
  }
  Lines lines;
  const Json json = to_json(table, "", lines);
  const auto decoded = task::decode_whole(
      json, task::Coercion::strict, [](const task::Node& node) { return read_policy(node, Missing::take_default); });
  if (!decoded.value) {
    std::string message = sentence(source, lines, decoded.problems.front());
    if (decoded.problems.size() > 1) {
      message += fmt::format("; and {} more", decoded.problems.size() - 1);
    }
    return base::input_error("policy.invalid", message + " (policies/quick.toml explains every field)");
  }
  return *decoded.value;
}

}  // namespace assay::promote
