#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <assay/os/file.hpp>
#include <assay/tensor/safetensors.hpp>

/// Test code only.
namespace assay::dataset::testing {

/// A tensor with its contents.
struct FilledTensor {
  tensor::SafetensorsTensor tensor;
  std::vector<std::byte> bytes;
};

template <class T>
FilledTensor filled(std::string name, tensor::DType dtype, tensor::Shape shape, const std::vector<T>& values) {
  FilledTensor made{{std::move(name), dtype, std::move(shape)}, std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) {
    std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  }
  return made;
}

/// Returns a safetensors file with these tensors.
inline std::string blob_text(const std::vector<FilledTensor>& tensors) {
  std::vector<tensor::SafetensorsTensor> plain;
  for (const FilledTensor& one : tensors) {
    plain.push_back(one.tensor);
  }
  const auto plan = tensor::plan_safetensors(plain);
  ASSAY_CHECK(plan.has_value());
  std::string text = plan->bytes;
  for (const tensor::SafetensorsEntry& entry : plan->header.tensors) {
    for (const FilledTensor& one : tensors) {
      if (one.tensor.name == entry.name) {
        text.append(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
      }
    }
  }
  ASSAY_CHECK(text.size() == plan->bytes.size() + plan->header.data_bytes);
  return text;
}

/// A dataset folder with one definition, "rows", of which the workloads name safetensors files: x [rows, 4] bfloat16
/// and seq_lens [rows] int32, both in blob/<uuid>.safetensors; and pages of 8 tokens. Deleted with the object.
class BlobDataset {
 public:
  BlobDataset() {
    write("definitions/paged/rows.json", R"({"name": "rows", "op_type": "paged",
      "axes": {"rows": {"type": "var"}, "max_num_pages": {"type": "var"}, "page_size": {"type": "const", "value": 8},
               "four": {"type": "const", "value": 4}},
      "inputs": {"x": {"shape": ["rows", "four"], "dtype": "bfloat16"},
                 "seq_lens": {"shape": ["rows"], "dtype": "int32"}},
      "outputs": {"y": {"shape": ["rows"], "dtype": "float32"}},
      "reference": "def run(x, seq_lens):\n    return x\n"})");
    write("workloads/paged/rows.jsonl", workload("w-1", 2, 2) + "\n" + workload("w-2", 3, 4) + "\n");
  }

  [[nodiscard]] os::Path path(const std::string& below = "") const { return folder_.path() / below; }
  void write(const std::string& below, const std::string& text) const {
    ASSAY_CHECK(os::create_directories(path(below).parent_path()).has_value());
    ASSAY_CHECK(os::write_file_atomic(path(below), text).has_value());
  }
  void remove(const std::string& below) const { ASSAY_CHECK(os::remove_tree(path(below)).has_value()); }
  [[nodiscard]] static std::string blob(const std::string& uuid) { return "blob/" + uuid + ".safetensors"; }

  /// Writes a good blob of a workload with these lengths.
  void write_blob(const std::string& uuid, const std::vector<std::int32_t>& lengths) const {
    const auto rows = static_cast<std::int64_t>(lengths.size());
    write(blob(uuid),
          blob_text({filled("x", tensor::DType::bfloat16, {rows, 4}, std::vector<std::uint16_t>(4 * lengths.size())),
                     filled("seq_lens", tensor::DType::int32, {rows}, lengths)}));
  }

  [[nodiscard]] static std::string workload(const std::string& uuid, int rows, int pages) {
    const std::string place = R"({"type": "safetensors", "path": "./)" + blob(uuid) + R"(", "tensor_key": ")";
    return R"({"definition": "rows", "solution": null, "evaluation": null, "workload": {"uuid": ")" + uuid +
           R"(", "axes": {"rows": )" + std::to_string(rows) + R"(, "max_num_pages": )" + std::to_string(pages) +
           R"(}, "inputs": {"x": )" + place + R"(x"}, "seq_lens": )" + place + R"(seq_lens"}}}})";
  }

 private:
  os::TemporaryDirectory folder_ =
      os::TemporaryDirectory::create(std::filesystem::temp_directory_path(), "blobs-").value();
};

/// What Git leaves in place of a file whose content lies in a large-file store.
inline const std::string kLfsPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

}  // namespace assay::dataset::testing
