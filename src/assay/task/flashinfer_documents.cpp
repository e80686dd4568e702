#include <assay/task/flashinfer_documents.hpp>

#include <nlohmann/json.hpp>

namespace assay::task::testing {

base::Json flashinfer_definition() {
  return base::Json::parse(R"json({
    "name": "blend_in_place_d16",
    "description": "",
    "op_type": "blend",
    "tags": ["fi_api:library.blend_in_place"],
    "axes": {
      "rows": {"type": "var", "description": "Rows."},
      "width": {"type": "const", "value": 16},
      "page": {"type": "const", "description": "No call had one."}
    },
    "constraints": ["rows >= 1", "layout in ('NHD', 'HND')"],
    "inputs": {
      "v": {"shape": ["rows", "width"], "dtype": "bfloat16", "description": "Written over."},
      "mask": {"shape": ["rows"], "dtype": "unknown", "optional": true},
      "codes": {"shape": ["rows", "width_div_2"], "dtype": "uint8"},
      "seed": {"shape": ["rows"], "dtype": "uint32"},
      "eps": {"shape": null, "dtype": "float64", "optional": true},
      "layout": {"shape": null, "dtype": "string", "optional": true},
      "out_dtype": {"shape": null, "dtype": "dtype", "optional": true}
    },
    "outputs": {
      "v": {"shape": ["rows", "width"], "dtype": "bfloat16"},
      "weight": {"shape": ["rows"], "dtype": "float32", "optional": true, "param": "out", "description": "A buffer."}
    },
    "reference": "import torch\n\n@torch.no_grad()\ndef _blend_reference(v, mask=None):\n    return v\n",
    "check": "def _blend_check(reference_outputs, actual_outputs, **_):\n    return True\n",
    "init": "def _blend_init(*, rows, device='cuda', seed=0):\n    return {}\n"
  })json");
}

base::Json runnable_flashinfer_definition() {
  base::Json json = flashinfer_definition();
  json["axes"]["page"]["value"] = 4;
  json["axes"]["width_div_2"] = {{"type", "const"}, {"value", 8}};
  return json;
}

base::Json flashinfer_solution() {
  return base::Json::parse(R"json({
    "name": "blend_dsl",
    "definition": "blend_in_place_d16",
    "author": "someone",
    "spec": {
      "language": "cutedsl",
      "target_hardware": ["NVIDIA H200"],
      "entry_point": "kernel.py::run",
      "dependencies": [],
      "destination_passing_style": false
    },
    "sources": [{"path": "kernel.py", "content": "def run(v):\n    return v\n"}]
  })json");
}

}  // namespace assay::task::testing
