#include <assay/task/blob_file.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/text.hpp>
#include <assay/task/source_path.hpp>

namespace assay::task {

std::vector<BlobFile> blob_files(const Workload& workload) {
  std::vector<BlobFile> files;
  for (const auto& [name, input] : workload.inputs) {
    const auto* place = std::get_if<SafetensorsInput>(&input);
    if (place == nullptr) {
      continue;
    }
    const std::string path = normalise_source_path(place->path);
    auto file = std::find_if(files.begin(), files.end(), [&](const BlobFile& known) { return known.path == path; });
    if (file == files.end()) {
      file = files.insert(files.end(), BlobFile{path, {}});
    }
    file->inputs.push_back(name);
  }
  return files;
}

const SafetensorsInput& blob_place(const Workload& workload, std::string_view input) {
  const InputSpec* spec = find(workload.inputs, input);
  ASSAY_CHECK(spec != nullptr && std::holds_alternative<SafetensorsInput>(*spec));
  return std::get<SafetensorsInput>(*spec);
}

std::optional<std::string> blob_path_fault(std::string_view path) {
  if (path.starts_with('/')) {
    return "is absolute: give a path relative to the dataset's folder";
  }
  const std::vector<std::string> parts = base::split(path, '/');
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    return "leads out of the dataset with \"..\": give a path inside its folder";
  }
  const bool control =
      std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (control) {
    return "holds a control character: use a plain name";
  }
  if (parts.back().empty() || parts.back() == ".") {
    return "names a folder: name a file";
  }
  return std::nullopt;
}

std::string bundled_blob_name(std::size_t index) { return fmt::format("blob-{}.safetensors", index); }

}  // namespace assay::task
