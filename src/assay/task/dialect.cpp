#include <assay/task/dialect.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/task/python_syntax.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

namespace {

using base::Json;

constexpr std::array<std::string_view, 2> kDialects = {"flashinfer-bench", "flashinfer"};
constexpr std::size_t kSharedDtypes = 11;
// In the order of the enumerators of Language.
constexpr std::array<std::string_view, 8> kLanguages = {"python",   "triton",  "cpp",     "cuda",
                                                        "tilelang", "cutedsl", "cutlass", "cutile"};
constexpr std::size_t kSharedLanguages = 5;

template <class Words>
bool has_word(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <class Words>
std::string word_list(const Words& words) {
  return base::join(std::vector<std::string>(words.begin(), words.end()), ", ");
}

bool only_flashinfer_has(std::string_view dtype) {
  return has_word(dtype_words(Dialect::flashinfer), dtype) && !has_word(dtype_words(Dialect::flashinfer_bench), dtype);
}

// The member of an object, or null if there is none or it is null itself.
const Json* given_member(const Json& json, std::string_view name) {
  if (const auto* object = json.get_ptr<const Json::object_t*>()) {
    for (const auto& [key, value] : *object) {
      if (key == name) {
        return value.is_null() ? nullptr : &value;
      }
    }
  }
  return nullptr;
}

std::optional<std::string> tensor_sign(const Json& json, const char* group) {
  const Json* tensors = given_member(json, group);
  if (tensors == nullptr || !tensors->is_object()) {
    return std::nullopt;
  }
  const Json* inputs = given_member(json, "inputs");
  const bool outputs = std::string_view(group) == "outputs";
  for (const auto& [name, spec] : tensors->items()) {
    const std::string place = fmt::format("/{}/{}", group, base::pointer_token(name));
    for (const char* field : {"optional", "param"}) {
      if (given_member(spec, field) != nullptr) {
        return fmt::format("{}/{} is FlashInfer's alone", place, field);
      }
    }
    const Json* dtype = given_member(spec, "dtype");
    if (dtype != nullptr && dtype->is_string() && only_flashinfer_has(dtype->get<std::string>())) {
      return fmt::format("{}/dtype is \"{}\", which is FlashInfer's alone", place, dtype->get<std::string>());
    }
    if (outputs && inputs != nullptr && inputs->is_object() && inputs->contains(name)) {
      return fmt::format("{} has the name of an input, which only FlashInfer allows", place);
    }
  }
  return std::nullopt;
}

// FlashInfer tags every definition with the function that it traced; flashinfer-bench's may have such a tag too.
bool is_tagged(const Json& json) {
  const Json* tags = given_member(json, "tags");
  return tags != nullptr && tags->is_array() && std::any_of(tags->begin(), tags->end(), [](const Json& tag) {
           return tag.is_string() && tag.get<std::string>().starts_with("fi_api:");
         });
}

// What is missing is a mistake in flashinfer-bench's dialect, so that it is a sign only beside FlashInfer's tag.
std::optional<std::string> missing_sign(const Json& json) {
  if (!is_tagged(json)) {
    return std::nullopt;
  }
  if (json.contains("name") && given_member(json, "reference") == nullptr) {
    return "it has FlashInfer's tag fi_api and no reference";
  }
  const Json* axes = given_member(json, "axes");
  if (axes == nullptr || !axes->is_object()) {
    return std::nullopt;
  }
  for (const auto& [name, axis] : axes->items()) {
    const Json* type = given_member(axis, "type");
    if (type != nullptr && *type == "const" && given_member(axis, "value") == nullptr) {
      return fmt::format("it has FlashInfer's tag fi_api, and /axes/{} is a constant without a value",
                         base::pointer_token(name));
    }
  }
  return std::nullopt;
}

std::optional<std::string> definition_sign(const Json& json) {
  for (const char* field : {"init", "check"}) {
    if (json.is_object() && json.contains(field)) {  // Null as well: no other dialect has the name.
      return fmt::format("/{} is FlashInfer's alone", field);
    }
  }
  for (const char* group : {"inputs", "outputs"}) {
    if (auto sign = tensor_sign(json, group)) {
      return sign;
    }
  }
  const Json* reference = given_member(json, "reference");
  if (reference != nullptr && reference->is_string()) {
    const std::optional<std::string> function = reference_function(reference->get<std::string>());
    if (function && *function != "run") {
      return fmt::format("/reference defines {} and no run, as FlashInfer does", *function);
    }
  }
  return missing_sign(json);
}

void add_problem(std::vector<Problem>& problems, std::string pointer, std::string message) {
  problems.push_back({std::move(pointer), std::move(message)});
}

void tensor_problems(const Definition& definition, const std::string& group, const Named<TensorSpec>& tensors,
                     std::vector<Problem>& problems) {
  for (const auto& [name, spec] : tensors) {
    const std::string place = fmt::format("/{}/{}", group, base::pointer_token(name));
    if (only_flashinfer_has(tensor::to_string(spec.dtype))) {
      add_problem(problems, place + "/dtype",
                  fmt::format("is {}, for which flashinfer-bench has no word: use one of {}",
                              tensor::to_string(spec.dtype), word_list(dtype_words(Dialect::flashinfer_bench))));
    }
    if (spec.optional) {
      add_problem(problems, place + "/optional", "cannot be said in flashinfer-bench: make the argument required");
    }
    if (spec.param) {
      add_problem(problems, place + "/param",
                  "cannot be said in flashinfer-bench: make the output a tensor of its own");
    }
    for (std::size_t i = 0; spec.shape && i < spec.shape->size(); ++i) {
      if (find(definition.axes, (*spec.shape)[i]) == nullptr) {
        add_problem(problems, fmt::format("{}/shape/{}", place, i),
                    fmt::format("names the axis \"{}\", which /axes does not have: add it there", (*spec.shape)[i]));
      }
    }
  }
}

}  // namespace

std::string_view to_string(Dialect dialect) { return kDialects.at(static_cast<std::size_t>(dialect)); }

std::optional<Dialect> parse_dialect(std::string_view text) {
  const auto place = std::find(kDialects.begin(), kDialects.end(), text);
  return place == kDialects.end() ? std::nullopt : std::optional(static_cast<Dialect>(place - kDialects.begin()));
}

std::vector<std::string_view> dtype_words(Dialect dialect) {
  std::vector<std::string_view> words = tensor::dtype_names();
  if (dialect == Dialect::flashinfer_bench) {
    words.resize(kSharedDtypes);
  }
  return words;
}

std::span<const std::string_view> language_words(Dialect dialect) {
  return std::span(kLanguages).first(dialect == Dialect::flashinfer_bench ? kSharedLanguages : kLanguages.size());
}

DetectedDialect detect_definition_dialect(const Json& json) {
  if (auto sign = definition_sign(json)) {
    return {Dialect::flashinfer, *std::move(sign)};
  }
  return {Dialect::flashinfer_bench, "nothing in it is FlashInfer's alone"};
}

DetectedDialect detect_solution_dialect(const Json& json) {
  const Json* spec = given_member(json, "spec");
  const Json* language = spec != nullptr ? given_member(*spec, "language") : nullptr;
  if (language != nullptr && language->is_string()) {
    const std::string word = language->get<std::string>();
    if (has_word(language_words(Dialect::flashinfer), word) &&
        !has_word(language_words(Dialect::flashinfer_bench), word)) {
      return {Dialect::flashinfer, fmt::format("/spec/language is \"{}\", which is FlashInfer's alone", word)};
    }
  }
  if (spec != nullptr && spec->is_object() && !spec->contains("destination_passing_style")) {
    return {Dialect::flashinfer_bench,
            "nothing in it is FlashInfer's alone; /spec/destination_passing_style is missing and taken as true, which "
            "FlashInfer would take as false"};
  }
  return {Dialect::flashinfer_bench, "nothing in it is FlashInfer's alone"};
}

namespace {

base::Error dialect_error(std::string_view what, const std::string& name, Dialect dialect,
                          const std::vector<Problem>& problems) {
  base::Error error = problems_error(
      fmt::format("{} {} cannot be written in the dialect {}", what, name, to_string(dialect)), problems);
  error.code = "schema.dialect";
  return error;
}

}  // namespace

std::vector<Problem> inexpressible(const Definition& definition, Dialect dialect) {
  std::vector<Problem> problems;
  if (dialect == Dialect::flashinfer) {
    return problems;
  }
  for (const auto& [name, axis] : definition.axes) {
    if (axis.unresolved) {
      add_problem(problems, fmt::format("/axes/{}/value", base::pointer_token(name)),
                  "is missing, and a constant must have one in flashinfer-bench: add it");
    }
  }
  tensor_problems(definition, "inputs", definition.inputs, problems);
  tensor_problems(definition, "outputs", definition.outputs, problems);
  for (const auto& [name, spec] : definition.outputs) {
    if (find(definition.inputs, name) != nullptr) {
      add_problem(problems, "/outputs/" + base::pointer_token(name),
                  "is the name of an input too, which flashinfer-bench refuses: rename one of them");
    }
  }
  if (reference_function(definition.reference) != "run") {
    add_problem(problems, "/reference",
                "must define a top-level function run for flashinfer-bench: name the function so");
  }
  if (definition.check) {
    add_problem(problems, "/check", "cannot be said in flashinfer-bench: remove it");
  }
  if (definition.init) {
    add_problem(problems, "/init", "cannot be said in flashinfer-bench: remove it, or store the inputs as safetensors");
  }
  return problems;
}

std::vector<Problem> inexpressible(const Solution& solution, Dialect dialect) {
  const std::string_view language = to_string(solution.spec.language);
  if (has_word(language_words(dialect), language)) {
    return {};
  }
  return {{"/spec/language", fmt::format("is {}, for which flashinfer-bench has no word: use one of {}", language,
                                         word_list(language_words(dialect)))}};
}

Dialect dialect_of(const Definition& definition) {
  return inexpressible(definition, Dialect::flashinfer_bench).empty() ? Dialect::flashinfer_bench : Dialect::flashinfer;
}

Dialect dialect_of(const Solution& solution) {
  return inexpressible(solution, Dialect::flashinfer_bench).empty() ? Dialect::flashinfer_bench : Dialect::flashinfer;
}

base::Result<Json> encode_as(const Definition& definition, Dialect dialect) {
  const std::vector<Problem> problems = inexpressible(definition, dialect);
  if (!problems.empty()) {
    return tl::unexpected(dialect_error("definition", definition.name, dialect, problems));
  }
  return encode_definition(definition, dialect);
}

base::Result<Json> encode_as(const Solution& solution, Dialect dialect) {
  const std::vector<Problem> problems = inexpressible(solution, dialect);
  if (!problems.empty()) {
    return tl::unexpected(dialect_error("solution", solution.name, dialect, problems));
  }
  return encode_solution(solution, dialect);
}

}  // namespace assay::task
