#include <assay/dataset/blob.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/blob_file.hpp>
#include <assay/task/source_path.hpp>

namespace assay::dataset {
namespace {

// The first bytes of what Git leaves in place of a file whose content lies in a large-file store.
constexpr std::string_view kPointerStart = "version https://git-lfs.github.com/spec/";
constexpr std::uint64_t kLongestPointer = 1024;

os::Path file_of(const os::Path& root, const task::SafetensorsInput& place) {
  return root / task::normalise_source_path(place.path);
}

std::string pointer_to(const BlobUse& use, std::string_view field) {
  return fmt::format("workload {}: /inputs/{}/{}", use.uuid, base::pointer_token(use.input), field);
}

tl::unexpected<base::Error> blob_error(std::string code, const os::Path& file, const BlobUse& use,
                                       std::string_view field, std::string_view what) {
  return base::input_error(std::move(code), fmt::format("{}: {}: {}", file.string(), pointer_to(use, field), what));
}

base::Result<bool> is_pointer(const os::FileReader& file) {
  if (file.size() > kLongestPointer || file.size() < kPointerStart.size()) {
    return false;
  }
  std::string start(kPointerStart.size(), '\0');
  ASSAY_TRY(file.read_at(0, std::as_writable_bytes(std::span(start))));
  return start == kPointerStart;
}

base::Result<tensor::SafetensorsHeader> read_header(const os::FileReader& file) {
  const std::string source = file.path().string();
  std::vector<std::byte> start(std::min<std::uint64_t>(file.size(), tensor::kSafetensorsPrefix));
  ASSAY_TRY(file.read_at(0, start));
  ASSAY_TRY_ASSIGN(const std::uint64_t length, tensor::safetensors_header_length(start, file.size(), source));
  std::string text(length, '\0');
  ASSAY_TRY(file.read_at(tensor::kSafetensorsPrefix, std::as_writable_bytes(std::span(text))));
  return tensor::decode_safetensors_header(text, file.size(), source);
}

}  // namespace

bool blob_exists(const os::Path& root, const task::SafetensorsInput& place) {
  std::error_code ignored;
  return !task::blob_path_fault(place.path) && std::filesystem::exists(file_of(root, place), ignored);
}

base::Result<Blob> open_blob(const os::Path& root, const BlobUse& use, const task::SafetensorsInput& place) {
  if (const auto fault = task::blob_path_fault(place.path)) {
    return blob_error("blob.path", root, use, "path", fmt::format("\"{}\" {}", base::printable(place.path), *fault));
  }
  const os::Path path = file_of(root, place);
  base::Result<os::FileReader> opened = os::FileReader::open(path);
  if (!opened && opened.error().code == "file.not_found") {
    return blob_error("blob.missing", path, use, "path",
                      "does not exist: fetch it with the dataset, or generate it with assay dataset materialise");
  }
  if (!opened) {
    opened.error().context.push_back(pointer_to(use, "path"));
    return tl::unexpected(std::move(opened.error()));
  }
  ASSAY_TRY_ASSIGN(const bool pointer, is_pointer(*opened));
  if (pointer) {
    return blob_error("blob.lfs_pointer", path, use, "path",
                      fmt::format("is a Git-LFS pointer and not the tensors: run git lfs pull --include \"{}\" in the "
                                  "dataset's repository",
                                  base::printable(task::normalise_source_path(place.path))));
  }
  base::Result<tensor::SafetensorsHeader> header = read_header(*opened);
  if (!header && header.error().owner != base::Owner::input) {
    return tl::unexpected(std::move(header.error()));
  }
  if (!header) {
    // The reader's message begins with the file; here the workload comes between.
    const std::string file = path.string() + ": ";
    const std::string& message = header.error().message;
    return blob_error("blob.damaged", path, use, "path",
                      message.starts_with(file) ? message.substr(file.size()) : message);
  }
  return Blob{std::move(*opened), std::move(*header)};
}

base::Result<const tensor::SafetensorsEntry*> find_tensor(const Blob& blob, const BlobUse& use,
                                                          const task::SafetensorsInput& place,
                                                          const task::TensorSpec& spec, const task::AxisValues& axes) {
  const os::Path& path = blob.file.path();
  const tensor::SafetensorsEntry* entry = blob.header.find(place.tensor_key);
  if (entry == nullptr) {
    std::vector<std::string> keys;
    for (const tensor::SafetensorsEntry& known : blob.header.tensors) {
      keys.push_back(known.name);
    }
    const std::string near = base::nearest(place.tensor_key, keys);
    return blob_error("blob.key", path, use, "tensor_key",
                      base::printable(fmt::format(
                          "has no tensor \"{}\": {}", place.tensor_key,
                          near.empty() ? fmt::format("it has {}; correct the key or the file",
                                                     keys.empty() ? std::string("none") : base::join(keys, ", "))
                                       : fmt::format("did you mean \"{}\"?", near))));
  }
  if (entry->dtype != spec.dtype) {
    return blob_error("blob.dtype", path, use, "tensor_key",
                      fmt::format("\"{}\" holds {}, and the definition says {}: fetch or write the file anew",
                                  base::printable(entry->name),
                                  entry->dtype ? tensor::to_string(*entry->dtype) : std::string_view(entry->type),
                                  tensor::to_string(spec.dtype)));
  }
  ASSAY_TRY_ASSIGN(const tensor::Shape shape, task::resolve_shape(spec, axes));
  if (entry->shape != shape) {
    return blob_error(
        "blob.shape", path, use, "tensor_key",
        fmt::format("\"{}\" has shape {}, and the definition says {} for the workload's axes: fetch or "
                    "write the file anew, or correct the axes",
                    base::printable(entry->name), tensor::to_string(entry->shape), tensor::to_string(shape)));
  }
  return entry;
}

base::Result<std::vector<std::byte>> read_tensor(const Blob& blob, const tensor::SafetensorsEntry& entry) {
  std::vector<std::byte> bytes(entry.end - entry.begin);
  ASSAY_TRY(blob.file.read_at(blob.header.data_begin + entry.begin, bytes));
  return bytes;
}

BlobCheck check_blobs(const os::Path& root, const task::Definition& definition, const task::Workload& workload,
                      const task::AxisValues& axes) {
  BlobCheck check;
  for (const task::BlobFile& file : task::blob_files(workload)) {
    ++check.named;
    const std::string& first = file.inputs.front();
    const base::Result<Blob> blob = open_blob(root, {workload.uuid, first}, task::blob_place(workload, first));
    if (!blob && blob.error().code == "blob.missing") {
      check.missing.push_back(blob.error());
      continue;
    }
    ++check.present;
    if (!blob) {
      check.problems.push_back(blob.error());
      continue;
    }
    for (const std::string& input : file.inputs) {
      const task::TensorSpec* spec = task::find(definition.inputs, input);
      ASSAY_CHECK(spec != nullptr);
      const auto found = find_tensor(*blob, {workload.uuid, input}, task::blob_place(workload, input), *spec, axes);
      if (!found) {
        check.problems.push_back(found.error());
      }
    }
  }
  return check;
}

}  // namespace assay::dataset
