#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/dialect.hpp>
#include <assay/task/expression.hpp>
#include <assay/task/readers.hpp>
#include <assay/task/source_path.hpp>

namespace assay::task {

namespace {

using base::Json;

// In the order of the enumerators.
constexpr std::array<std::string_view, 2> kBindings = {"tvm-ffi", "torch"};

BuildSpec read_spec(const Node& node, Dialect dialect) {
  BuildSpec spec;
  Fields fields(node);
  spec.language = static_cast<Language>(fields.required("language").word(language_words(dialect)));
  spec.target_hardware = fields.required("target_hardware").texts(TextRule::non_empty, 1);
  const Node entry = fields.required("entry_point");
  const std::size_t before = node.problem_count();
  spec.entry_point = entry.text(TextRule::non_empty);
  if (entry.present() && node.problem_count() == before) {
    const std::size_t mark = spec.entry_point.find("::");
    if (mark == std::string::npos || spec.entry_point.find("::", mark + 2) != std::string::npos) {
      entry.problem("must name a source file and a symbol as \"file::symbol\", with exactly one \"::\"");
    }
  }
  spec.dependencies = fields.optional("dependencies").texts(TextRule::non_empty);
  const Node style = fields.optional("destination_passing_style");
  // The dialects disagree about what a missing style means.
  spec.destination_passing_style = style.present() ? style.boolean() : dialect == Dialect::flashinfer_bench;
  const Node binding = fields.optional("binding");
  if (binding.has_value()) {
    spec.binding = static_cast<Binding>(binding.word(kBindings));
  }
  return spec;
}

void check_paths(const Node& node, const std::vector<SourceFile>& sources) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string place = fmt::format("/{}/path", i);
    const std::string& path = sources[i].path;
    if (const auto fault = source_path_fault(path)) {
      if (!path.empty()) {
        node.problem_at(place, fmt::format("\"{}\" {}", base::printable(path), *fault));
      }
      continue;
    }
    const std::string normal = normalise_source_path(path);
    if (!seen.insert(normal).second) {
      node.problem_at(place, fmt::format("\"{}\" names a file that an earlier source has: keep one of them", path));
    }
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string normal = normalise_source_path(sources[i].path);
    for (std::size_t slash = normal.find('/'); slash != std::string::npos; slash = normal.find('/', slash + 1)) {
      if (seen.contains(normal.substr(0, slash))) {
        node.problem_at(fmt::format("/{}/path", i),
                        fmt::format("\"{}\" lies in \"{}\", which is itself a source: rename one of them", normal,
                                    normal.substr(0, slash)));
      }
    }
  }
}

std::vector<SourceFile> read_sources(const Node& node) {
  std::vector<SourceFile> sources;
  for (const Node& item : node.items(1)) {
    Fields fields(item);
    SourceFile file;
    file.path = fields.required("path").text(TextRule::non_empty);
    file.content = fields.required("content").text(TextRule::non_empty);
    sources.push_back(std::move(file));
  }
  check_paths(node, sources);
  return sources;
}

bool is_identifier(std::string_view name) {
  const auto good = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && name.size() <= 64 && good(name.front()) &&
         std::all_of(name.begin(), name.end(), [good](char c) { return good(c) || (c >= '0' && c <= '9'); });
}

void check_parameter_name(const Node& node, std::string_view name) {
  if (!name.empty() && !is_identifier(name)) {
    node.problem("is not a name for -D: use letters, digits and '_', at most 64, not starting with a digit");
  }
}

Tuning read_tuning(const Node& node) {
  Tuning tuning;
  Fields fields(node);
  const Node parameters = fields.required("parameters");
  Named<std::int64_t> sample;
  for (const auto& [name, member] : parameters.entries()) {
    check_parameter_name(member, name);
    std::vector<std::int64_t> values = member.integers({}, 1);
    sample.emplace_back(name, values.empty() ? 0 : values.front());
    std::vector<std::int64_t> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      member.problem("holds a value twice: keep one of them");
    }
    tuning.parameters.emplace_back(name, std::move(values));
  }
  if (parameters.is_object() && tuning.parameters.empty()) {
    parameters.problem("is empty: name at least one parameter, or leave \"tuning\" out");
  }
  const Node constraints = fields.optional("constraints");
  tuning.constraints = constraints.texts(TextRule::non_empty);
  for (std::size_t i = 0; i < tuning.constraints.size(); ++i) {
    // A division by zero may be the sample's; an unknown name or bad syntax is the constraint's.
    const auto value = evaluate_expression(tuning.constraints[i], sample);
    const auto syntax = check_expression(tuning.constraints[i]);
    if (!syntax) {
      constraints.problem_at(fmt::format("/{}", i), syntax.error().message);
    } else if (!value && value.error().code == "expression.name") {
      constraints.problem_at(fmt::format("/{}", i), value.error().message);
    }
  }
  fields.refuse_others();
  return tuning;
}

void check_choice(const Node& node, const Tuning& tuning, const Named<std::int64_t>& chosen) {
  for (const auto& [name, value] : chosen) {
    const auto* values = find(tuning.parameters, name);
    if (values == nullptr) {
      node.problem_at("/" + base::pointer_token(name), "is not one of the parameters under tuning: remove it");
    } else if (std::find(values->begin(), values->end(), value) == values->end()) {
      node.problem_at("/" + base::pointer_token(name), fmt::format("is {}, which is not one of its values", value));
    }
  }
  for (const auto& [name, values] : tuning.parameters) {
    if (find(chosen, name) == nullptr) {
      node.problem(fmt::format("does not choose \"{}\": give a value for every parameter, or for none", name));
    }
  }
}

void check_constraints(const Node& node, const Tuning& tuning, const Named<std::int64_t>& chosen) {
  for (const std::string& constraint : tuning.constraints) {
    const auto value = evaluate_expression(constraint, chosen);
    if (!value) {
      node.problem(value.error().message);
    } else if (*value == 0) {
      node.problem(fmt::format("breaks the constraint \"{}\": choose other values", constraint));
    }
  }
}

void read_extension(const Node& node, Solution& solution) {
  Fields fields(node);
  const std::size_t before = node.problem_count();
  const Node tuning = fields.optional("tuning");
  if (tuning.has_value()) {
    solution.tuning = read_tuning(tuning);
  }
  const Node parameters = fields.optional("parameters");
  for (const auto& [name, member] : parameters.has_value() ? parameters.entries() : Named<Node>{}) {
    check_parameter_name(member, name);
    solution.parameters.emplace_back(name, member.integer());
  }
  if (solution.tuning && !solution.parameters.empty() && node.problem_count() == before) {
    check_choice(parameters, *solution.tuning, solution.parameters);
    if (node.problem_count() == before) {
      check_constraints(parameters, *solution.tuning, solution.parameters);
    }
  }
  fields.refuse_others();
}

Json encode_named(const Named<std::int64_t>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) {
    object[name] = value;
  }
  return object;
}

Json encode_extension(const Solution& solution) {
  Json json;
  if (solution.tuning) {
    Json& parameters = json["tuning"]["parameters"] = Json::object();
    for (const auto& [name, values] : solution.tuning->parameters) {
      parameters[name] = values;
    }
    json["tuning"]["constraints"] = solution.tuning->constraints;
  }
  if (!solution.parameters.empty()) {
    json["parameters"] = encode_named(solution.parameters);
  }
  return json;
}

}  // namespace

Solution read_solution(const Node& node) {
  return read_solution(node, node.present() ? detect_solution_dialect(node.json()).dialect : Dialect::flashinfer_bench);
}

Solution read_solution(const Node& node, Dialect dialect) {
  Solution solution;
  Fields fields(node);
  solution.name = fields.required("name").text(TextRule::non_empty);
  solution.definition = fields.required("definition").text(TextRule::non_empty);
  solution.author = fields.required("author").text(TextRule::non_empty);
  const std::size_t before = node.problem_count();
  solution.spec = read_spec(fields.required("spec"), dialect);
  solution.sources = read_sources(fields.required("sources"));
  solution.description = fields.optional("description").optional_text();
  if (fields.has("spec") && fields.has("sources") && node.problem_count() == before) {
    const std::string file = solution.entry_file();
    const bool found = std::any_of(solution.sources.begin(), solution.sources.end(),
                                   [&file](const SourceFile& source) { return source.path == file; });
    if (!found) {
      node.problem_at("/spec/entry_point", fmt::format("names \"{}\", which is no path in /sources: add the file or "
                                                       "correct the name",
                                                       base::printable(file)));
    }
  }
  const Node extension = fields.optional("assay");
  if (extension.has_value()) {
    read_extension(extension, solution);
  }
  return solution;
}

Decoded<Solution> decode_solution(const Json& json, Dialect dialect) {
  return decode_whole(json, Coercion::lax, [dialect](const Node& node) { return read_solution(node, dialect); });
}

Json encode(const Solution& solution) { return encode_solution(solution, dialect_of(solution)); }

Json encode_solution(const Solution& solution, Dialect dialect) {
  const bool with_nulls = dialect == Dialect::flashinfer_bench;
  Json json;
  json["name"] = solution.name;
  json["definition"] = solution.definition;
  json["author"] = solution.author;
  Json& spec = json["spec"];
  spec["language"] = to_string(solution.spec.language);
  spec["target_hardware"] = solution.spec.target_hardware;
  spec["entry_point"] = solution.spec.entry_point;
  spec["dependencies"] = solution.spec.dependencies;
  spec["destination_passing_style"] = solution.spec.destination_passing_style;
  if (solution.spec.binding || with_nulls) {
    spec["binding"] = solution.spec.binding ? Json(to_string(*solution.spec.binding)) : Json();
  }
  Json& sources = json["sources"] = Json::array();
  for (const SourceFile& source : solution.sources) {
    Json file;
    file["path"] = source.path;
    file["content"] = source.content;
    sources.push_back(std::move(file));
  }
  if (solution.description || with_nulls) {
    json["description"] = solution.description ? Json(*solution.description) : Json();
  }
  if (solution.tuning || !solution.parameters.empty()) {
    json["assay"] = encode_extension(solution);
  }
  return json;
}

}  // namespace assay::task
