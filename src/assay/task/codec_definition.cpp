#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/dialect.hpp>
#include <assay/task/python_syntax.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

namespace {

using base::Json;

constexpr std::array<std::string_view, 2> kAxisTypes = {"const", "var"};

Axis read_axis(const Node& node, Dialect dialect) {
  Axis axis;
  Fields fields(node);
  const Node type = fields.optional("type");
  if (type.present()) {
    axis.kind = type.word(kAxisTypes) == 0 ? Axis::Kind::constant : Axis::Kind::variable;
  } else {
    axis.kind = fields.has("value") ? Axis::Kind::constant : Axis::Kind::variable;
  }
  if (axis.kind == Axis::Kind::constant) {
    // FlashInfer leaves out what no argument of the traced call gave.
    const Node value = dialect == Dialect::flashinfer ? fields.optional("value") : fields.required("value");
    axis.unresolved = dialect == Dialect::flashinfer && !value.present();
    axis.value = value.integer({.minimum = 0});
  }
  axis.description = fields.optional("description").optional_text();
  return axis;
}

tensor::DType read_dtype(const Node& node, Dialect dialect) {
  const std::vector<std::string_view> names = dtype_words(dialect);
  const std::size_t before = node.problem_count();
  const std::size_t index = node.word(names);
  if (!node.present() || node.problem_count() != before) {
    return tensor::DType::float32;
  }
  return tensor::parse_dtype(names[index]).value_or(tensor::DType::float32);
}

TensorSpec read_tensor(const Node& node, Dialect dialect) {
  TensorSpec spec;
  Fields fields(node);
  const Node shape = fields.required("shape");
  if (shape.has_value()) {
    spec.shape = shape.texts();
  }
  spec.dtype = read_dtype(fields.required("dtype"), dialect);
  spec.description = fields.optional("description").optional_text();
  if (dialect == Dialect::flashinfer) {
    const Node optional = fields.optional("optional");
    spec.optional = optional.has_value() && optional.boolean();
    spec.param = fields.optional("param").optional_text(TextRule::non_empty);
  }
  return spec;
}

Named<TensorSpec> read_tensors(const Node& node, Dialect dialect) {
  Named<TensorSpec> tensors;
  for (const auto& [name, member] : node.entries()) {
    tensors.emplace_back(name, read_tensor(member, dialect));
  }
  return tensors;
}

void check_axes(const Node& root, std::string_view group, const Named<TensorSpec>& tensors, const Named<Axis>& axes) {
  std::vector<std::string> known;
  for (const auto& [name, axis] : axes) {
    known.push_back(name);
  }
  for (const auto& [name, spec] : tensors) {
    const std::size_t rank = spec.shape ? spec.shape->size() : 0;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::string& axis = (*spec.shape)[i];
      if (find(axes, axis) == nullptr) {
        const std::string near = base::nearest(axis, known);
        const std::string hint = near.empty() ? std::string() : fmt::format(", or use \"{}\"", near);
        root.problem_at(fmt::format("/{}/{}/shape/{}", group, base::pointer_token(name), i),
                        fmt::format("names the axis \"{}\", which /axes does not have: add it there{}", axis, hint));
      }
    }
  }
}

void check_constraints(const Node& node, const std::vector<std::string>& constraints) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (const auto fault = check_python_expression(constraints[i])) {
      node.problem_at(fmt::format("/{}", i), *fault);
    }
  }
}

void check_module(const Node& node, const std::string& source) {
  if (const auto fault = check_python_module(source)) {
    node.problem(*fault);
  }
}

// Source of a function, in FlashInfer's dialect alone.
std::optional<std::string> read_source(const Node& node) {
  const std::size_t before = node.problem_count();
  std::optional<std::string> source = node.optional_text(TextRule::non_empty);
  if (source && node.problem_count() == before) {
    check_module(node, *source);
  }
  return source;
}

std::string read_reference(const Node& node, Dialect dialect) {
  const std::size_t before = node.problem_count();
  // What FlashInfer could not find the source of has no reference.
  if (dialect == Dialect::flashinfer && !node.has_value()) {
    return {};
  }
  std::string reference = node.text();
  if (node.present() && node.problem_count() == before) {
    if (const auto fault = check_python_reference(
            reference, dialect == Dialect::flashinfer ? ReferenceName::any_operator : ReferenceName::run)) {
      node.problem(*fault);
    }
  }
  return reference;
}

// Both dialects' documents have these fields. An empty description is kept: FlashInfer writes one.
enum class Absent : std::uint8_t { written_as_null, left_out };

void put_text(Json& json, const char* name, const std::optional<std::string>& text, Absent absent) {
  if (text) {
    json[name] = *text;
  } else if (absent == Absent::written_as_null) {
    json[name] = nullptr;
  }
}

Json encode_axes(const Named<Axis>& axes, Absent absent) {
  Json object = Json::object();
  for (const auto& [name, axis] : axes) {
    Json& member = object[name];
    member["type"] = axis.kind == Axis::Kind::constant ? "const" : "var";
    if (axis.kind == Axis::Kind::constant && !axis.unresolved) {
      member["value"] = axis.value;
    }
    put_text(member, "description", axis.description, absent);
  }
  return object;
}

Json encode_tensors(const Named<TensorSpec>& tensors, Absent absent) {
  Json object = Json::object();
  for (const auto& [name, spec] : tensors) {
    Json& member = object[name];
    member["shape"] = spec.shape ? Json(*spec.shape) : Json();
    member["dtype"] = tensor::to_string(spec.dtype);
    if (spec.optional) {
      member["optional"] = true;
    }
    if (spec.param) {
      member["param"] = *spec.param;
    }
    put_text(member, "description", spec.description, absent);
  }
  return object;
}

Json encode_for_flashinfer(const Definition& definition) {
  Json json;
  json["name"] = definition.name;
  put_text(json, "description", definition.description, Absent::left_out);
  json["op_type"] = definition.op_type;
  json["tags"] = definition.tags;
  json["axes"] = encode_axes(definition.axes, Absent::left_out);
  if (!definition.constraints.empty()) {
    json["constraints"] = definition.constraints;
  }
  json["inputs"] = encode_tensors(definition.inputs, Absent::left_out);
  json["outputs"] = encode_tensors(definition.outputs, Absent::left_out);
  if (!definition.reference.empty()) {
    json["reference"] = definition.reference;
  }
  put_text(json, "check", definition.check, Absent::left_out);
  put_text(json, "init", definition.init, Absent::left_out);
  // What flashinfer-bench could not read must be known for FlashInfer's again.
  if (dialect_of(definition) == Dialect::flashinfer && detect_definition_dialect(json).dialect != Dialect::flashinfer) {
    json["init"] = nullptr;
  }
  return json;
}

Json encode_for_flashinfer_bench(const Definition& definition) {
  Json json;
  json["name"] = definition.name;
  json["op_type"] = definition.op_type;
  json["axes"] = encode_axes(definition.axes, Absent::written_as_null);
  json["inputs"] = encode_tensors(definition.inputs, Absent::written_as_null);
  json["outputs"] = encode_tensors(definition.outputs, Absent::written_as_null);
  json["reference"] = definition.reference;
  json["tags"] = definition.tags;
  put_text(json, "description", definition.description, Absent::written_as_null);
  json["constraints"] = definition.constraints;
  return json;
}

}  // namespace

Definition read_definition(const Node& node) {
  return read_definition(node,
                         node.present() ? detect_definition_dialect(node.json()).dialect : Dialect::flashinfer_bench);
}

Definition read_definition(const Node& node, Dialect dialect) {
  Definition definition;
  Fields fields(node);
  definition.name = fields.required("name").text(TextRule::non_empty);
  definition.op_type = fields.required("op_type").text(TextRule::non_empty);
  const Node axes = fields.required("axes");
  for (const auto& [name, member] : axes.entries()) {
    definition.axes.emplace_back(name, read_axis(member, dialect));
  }
  definition.inputs = read_tensors(fields.required("inputs"), dialect);
  definition.outputs = read_tensors(fields.required("outputs"), dialect);
  const bool flashinfer = dialect == Dialect::flashinfer;
  definition.reference =
      read_reference(flashinfer ? fields.optional("reference") : fields.required("reference"), dialect);
  definition.tags = fields.optional("tags").texts(TextRule::non_empty);
  definition.description = fields.optional("description").optional_text();
  const Node constraints = fields.optional("constraints");
  definition.constraints = constraints.texts();
  check_constraints(constraints, definition.constraints);
  if (flashinfer) {
    definition.check = read_source(fields.optional("check"));
    definition.init = read_source(fields.optional("init"));
    return definition;  // That an axis is missing, or names are shared, keeps it from being run, not from being read.
  }
  if (axes.is_object()) {
    check_axes(node, "inputs", definition.inputs, definition.axes);
    check_axes(node, "outputs", definition.outputs, definition.axes);
  }
  for (const auto& [name, spec] : definition.outputs) {
    if (find(definition.inputs, name) != nullptr) {
      node.problem_at("/outputs/" + base::pointer_token(name), "is the name of an input too: rename one of them");
    }
  }
  return definition;
}

Decoded<Definition> decode_definition(const Json& json, Dialect dialect) {
  return decode_whole(json, Coercion::lax, [dialect](const Node& node) { return read_definition(node, dialect); });
}

Json encode_definition(const Definition& definition, Dialect dialect) {
  return dialect == Dialect::flashinfer ? encode_for_flashinfer(definition) : encode_for_flashinfer_bench(definition);
}

Json encode(const Definition& definition) { return encode_definition(definition, dialect_of(definition)); }

}  // namespace assay::task
