#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/coercion.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

namespace {

using base::Json;

enum class InputKind : std::uint8_t { random, scalar, safetensors };
constexpr std::array<std::string_view, 3> kInputKinds = {"random", "scalar", "safetensors"};

// Without a type the fields decide, as the schema's readers do: {} is random, {"value": 1} a scalar.
InputKind input_kind(Fields& fields) {
  const Node type = fields.optional("type");
  if (type.present()) {
    return static_cast<InputKind>(type.word(kInputKinds));
  }
  const bool path = fields.has("path");
  const bool key = fields.has("tensor_key");
  if (fields.has("value") && !(path && key)) {
    return InputKind::scalar;
  }
  return path || key ? InputKind::safetensors : InputKind::random;
}

// Keeps the kind that was written; text is read as the first of integer, number and boolean that fits.
ScalarInput read_scalar(const Node& node) {
  if (!node.present()) {
    return {};
  }
  const Json& json = node.json();
  if (json.is_boolean()) {
    return {json.get<bool>()};
  }
  if (json.is_number_float()) {
    return {json.get<double>()};
  }
  if (json.is_number()) {
    return {node.integer()};
  }
  if (json.is_string()) {
    if (const auto integer = lax_integer(json)) {
      return {*integer};
    }
    if (const auto number = lax_number(json)) {
      return {*number};
    }
    if (const auto boolean = lax_boolean(json)) {
      return {*boolean};
    }
  }
  node.problem("is no scalar: give an integer, a number, true or false");
  return {};
}

InputSpec read_input(const Node& node) {
  const std::size_t before = node.problem_count();
  Fields fields(node);
  const InputKind kind = input_kind(fields);
  if (node.problem_count() != before) {
    return RandomInput{};
  }
  switch (kind) {
    case InputKind::random:
      return RandomInput{};
    case InputKind::scalar:
      return read_scalar(fields.required("value"));
    case InputKind::safetensors:
      break;
  }
  SafetensorsInput input;
  input.path = fields.required("path").text(TextRule::non_empty);
  input.tensor_key = fields.required("tensor_key").text(TextRule::non_empty);
  return input;
}

Json encode_scalar(const ScalarInput& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar.value)) {
    return *integer;
  }
  if (const auto* number = std::get_if<double>(&scalar.value)) {
    return encode_number(*number);
  }
  return std::get<bool>(scalar.value);
}

Json encode_input(const InputSpec& input) {
  Json json;
  if (std::holds_alternative<RandomInput>(input)) {
    json["type"] = "random";
  } else if (const auto* scalar = std::get_if<ScalarInput>(&input)) {
    json["type"] = "scalar";
    json["value"] = encode_scalar(*scalar);
  } else {
    const auto& file = std::get<SafetensorsInput>(input);
    json["type"] = "safetensors";
    json["path"] = file.path;
    json["tensor_key"] = file.tensor_key;
  }
  return json;
}

GivenInput read_given(const Node& node) {
  constexpr std::size_t kDigits = 2 * base::Digest::kSize;
  Fields fields(node);
  GivenInput given;
  given.input = fields.required("input").text(TextRule::non_empty);
  const Node file = fields.required("file");
  given.file = file.text(TextRule::non_empty);
  if (!given.file.empty() && given.file.front() != '/') {
    file.problem("is no absolute path: give one, for the judge may run elsewhere");
  }
  given.offset = fields.required("offset").unsigned_integer();
  given.bytes = fields.required("bytes").unsigned_integer();
  const Node digest = fields.required("sha256");
  given.sha256 = digest.text(TextRule::non_empty);
  if (!given.sha256.empty() && !base::Digest::parse(given.sha256)) {
    digest.problem(fmt::format("is no SHA-256: give {} lowercase hexadecimal digits", kDigits));
  }
  fields.refuse_others();
  return given;
}

Json encode_given(const GivenInput& given) {
  return {{"input", given.input},
          {"file", given.file},
          {"offset", given.offset},
          {"bytes", given.bytes},
          {"sha256", given.sha256}};
}

}  // namespace

Workload read_workload(const Node& node) {
  Workload workload;
  Fields fields(node);
  for (const auto& [name, member] : fields.required("axes").entries()) {
    workload.axes.emplace_back(name, member.integer({.minimum = 0}));
  }
  for (const auto& [name, member] : fields.required("inputs").entries()) {
    workload.inputs.emplace_back(name, read_input(member));
  }
  workload.uuid = fields.required("uuid").text(TextRule::non_empty);
  return workload;
}

Workload read_carried_workload(const Node& node) {
  Workload workload = read_workload(node);
  if (const Node lengths = Fields(node).optional("lengths"); lengths.has_value()) {
    workload.lengths = lengths.integers({.minimum = 0, .maximum = kLongestLength}, 1);
  }
  if (const Node given = Fields(node).optional("given"); given.has_value()) {
    for (const Node& one : given.items(1)) {
      workload.given.push_back(read_given(one));
    }
  }
  return workload;
}

Json encode_carried(const Workload& workload) {
  Json json = encode(workload);
  if (!workload.lengths.empty()) {
    json["lengths"] = workload.lengths;
  }
  for (const GivenInput& given : workload.given) {
    json["given"].push_back(encode_given(given));
  }
  return json;
}

Decoded<Workload> decode_workload(const Json& json, Dialect) {
  return decode_whole(json, Coercion::lax, read_workload);
}

Json encode(const Workload& workload) {
  Json json;
  json["axes"] = Json::object();
  for (const auto& [name, value] : workload.axes) {
    json["axes"][name] = value;
  }
  json["inputs"] = Json::object();
  for (const auto& [name, input] : workload.inputs) {
    json["inputs"][name] = encode_input(input);
  }
  json["uuid"] = workload.uuid;
  return json;
}

}  // namespace assay::task
