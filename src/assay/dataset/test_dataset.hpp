#pragma once

#include <filesystem>
#include <string>

#include <assay/os/file.hpp>

/// Test code only.
namespace assay::dataset::testing {

/// Makes a dataset folder with one definition "add", two workloads and one solution; deleted with the object.
class DatasetFolder {
 public:
  DatasetFolder() {
    write("definitions/elementwise/add.json", definition("add"));
    write("workloads/elementwise/add.jsonl", workload("add", "w-1", 1) + "\n\n" + workload("add", "w-2", 8) + "\n");
    write("solutions/someone/elementwise/add/plain.json", solution("plain", "add"));
  }

  [[nodiscard]] os::Path path(const std::string& below = "") const { return folder_.path() / below; }

  void write(const std::string& below, const std::string& text) const {
    ASSAY_CHECK(os::create_directories(path(below).parent_path()).has_value());
    ASSAY_CHECK(os::write_file_atomic(path(below), text).has_value());
  }
  void remove(const std::string& below) const { ASSAY_CHECK(os::remove_tree(path(below)).has_value()); }

  static std::string definition(const std::string& name) {
    return R"({"name": ")" + name + R"(", "op_type": "elementwise", "axes": {"n": {"type": "var"}},
      "inputs": {"x": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
      "reference": "def run(x):\n    return x + 1\n"})";
  }
  static std::string workload(const std::string& name, const std::string& uuid, int n) {
    return R"({"definition": ")" + name + R"(", "solution": null, "workload": {"uuid": ")" + uuid +
           R"(", "axes": {"n": )" + std::to_string(n) +
           R"(}, "inputs": {"x": {"type": "random"}}}, "evaluation": null})";
  }
  static std::string solution(const std::string& name, const std::string& definition_name) {
    return R"({"name": ")" + name + R"(", "definition": ")" + definition_name + R"(", "author": "someone",
      "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "k.cpp::run"},
      "sources": [{"path": "k.cpp", "content": "int x;"}]})";
  }

 private:
  os::TemporaryDirectory folder_ =
      os::TemporaryDirectory::create(std::filesystem::temp_directory_path(), "dataset-").value();
};

}  // namespace assay::dataset::testing
