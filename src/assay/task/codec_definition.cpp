#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/python_syntax.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

namespace {

using base::Json;

constexpr std::array<std::string_view, 2> kAxisTypes = {"const", "var"};

Axis read_axis(const Node& node) {
  Axis axis;
  Fields fields(node);
  const Node type = fields.optional("type");
  if (type.present()) {
    axis.kind = type.word(kAxisTypes) == 0 ? Axis::Kind::constant : Axis::Kind::variable;
  } else {
    axis.kind = fields.has("value") ? Axis::Kind::constant : Axis::Kind::variable;
  }
  if (axis.kind == Axis::Kind::constant) {
    axis.value = fields.required("value").integer({.minimum = 0});
  }
  axis.description = fields.optional("description").optional_text();
  return axis;
}

tensor::DType read_dtype(const Node& node) {
  const std::vector<std::string_view> names = tensor::dtype_names();
  const std::size_t before = node.problem_count();
  const std::size_t index = node.word(names);
  if (!node.present() || node.problem_count() != before) {
    return tensor::DType::float32;
  }
  return tensor::parse_dtype(names[index]).value_or(tensor::DType::float32);
}

TensorSpec read_tensor(const Node& node) {
  TensorSpec spec;
  Fields fields(node);
  const Node shape = fields.required("shape");
  if (shape.has_value()) {
    spec.shape = shape.texts();
  }
  spec.dtype = read_dtype(fields.required("dtype"));
  spec.description = fields.optional("description").optional_text();
  return spec;
}

Named<TensorSpec> read_tensors(const Node& node) {
  Named<TensorSpec> tensors;
  for (const auto& [name, member] : node.entries()) {
    tensors.emplace_back(name, read_tensor(member));
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

Json encode_axes(const Named<Axis>& axes) {
  Json object = Json::object();
  for (const auto& [name, axis] : axes) {
    Json& member = object[name];
    member["type"] = axis.kind == Axis::Kind::constant ? "const" : "var";
    if (axis.kind == Axis::Kind::constant) {
      member["value"] = axis.value;
    }
    member["description"] = axis.description ? Json(*axis.description) : Json();
  }
  return object;
}

Json encode_tensors(const Named<TensorSpec>& tensors) {
  Json object = Json::object();
  for (const auto& [name, spec] : tensors) {
    Json& member = object[name];
    member["shape"] = spec.shape ? Json(*spec.shape) : Json();
    member["dtype"] = tensor::to_string(spec.dtype);
    member["description"] = spec.description ? Json(*spec.description) : Json();
  }
  return object;
}

}  // namespace

Definition read_definition(const Node& node) {
  Definition definition;
  Fields fields(node);
  definition.name = fields.required("name").text(TextRule::non_empty);
  definition.op_type = fields.required("op_type").text(TextRule::non_empty);
  const Node axes = fields.required("axes");
  for (const auto& [name, member] : axes.entries()) {
    definition.axes.emplace_back(name, read_axis(member));
  }
  definition.inputs = read_tensors(fields.required("inputs"));
  definition.outputs = read_tensors(fields.required("outputs"));
  const Node reference = fields.required("reference");
  const std::size_t before = node.problem_count();
  definition.reference = reference.text();
  if (reference.present() && node.problem_count() == before) {
    if (const auto fault = check_python_reference(definition.reference)) {
      reference.problem(*fault);
    }
  }
  definition.tags = fields.optional("tags").texts(TextRule::non_empty);
  definition.description = fields.optional("description").optional_text();
  const Node constraints = fields.optional("constraints");
  definition.constraints = constraints.texts();
  check_constraints(constraints, definition.constraints);
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

Decoded<Definition> decode_definition(const Json& json, Dialect) {
  return decode_whole(json, Coercion::lax, read_definition);
}

Json encode(const Definition& definition) {
  Json json;
  json["name"] = definition.name;
  json["op_type"] = definition.op_type;
  json["axes"] = encode_axes(definition.axes);
  json["inputs"] = encode_tensors(definition.inputs);
  json["outputs"] = encode_tensors(definition.outputs);
  json["reference"] = definition.reference;
  json["tags"] = definition.tags;
  json["description"] = definition.description ? Json(*definition.description) : Json();
  json["constraints"] = definition.constraints;
  return json;
}

}  // namespace assay::task
