#include <assay/dataset/given.hpp>

#include <algorithm>
#include <filesystem>

#include <assay/base/digest.hpp>
#include <assay/dataset/blob.hpp>
#include <assay/task/blob_file.hpp>

namespace assay::dataset {
namespace {

constexpr std::size_t kBytesAtATime = std::size_t{4} << 20U;

base::Result<base::Digest> digest_of(const os::FileReader& file, std::uint64_t offset, std::uint64_t bytes) {
  base::Sha256 hash;
  std::vector<std::byte> piece;
  for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(kBytesAtATime, bytes - done));
    ASSAY_TRY(file.read_at(offset + done, piece));
    hash.update(piece);
  }
  return hash.finish();
}

base::Result<void> find_given(const os::Path& root, const task::Definition& definition, task::Workload& workload) {
  const std::vector<task::BlobFile> files = task::blob_files(workload);
  const auto is_there = [&](const task::BlobFile& file) {
    return blob_exists(root, task::blob_place(workload, file.inputs.front()));
  };
  if (std::none_of(files.begin(), files.end(), is_there)) {
    return {};
  }
  ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition, workload.axes));
  for (const task::BlobFile& file : files) {
    const std::string& first = file.inputs.front();
    ASSAY_TRY_ASSIGN(const Blob blob, open_blob(root, {workload.uuid, first}, task::blob_place(workload, first)));
    for (const std::string& input : file.inputs) {
      const task::TensorSpec* spec = task::find(definition.inputs, input);
      ASSAY_CHECK(spec != nullptr);
      ASSAY_TRY_ASSIGN(const tensor::SafetensorsEntry* entry,
                       find_tensor(blob, {workload.uuid, input}, task::blob_place(workload, input), *spec, axes));
      const std::uint64_t offset = blob.header.data_begin + entry->begin;
      const std::uint64_t bytes = entry->end - entry->begin;
      ASSAY_TRY_ASSIGN(const base::Digest digest, digest_of(blob.file, offset, bytes));
      workload.given.push_back({input, std::filesystem::absolute(blob.file.path()).lexically_normal().string(), offset,
                                bytes, digest.hex()});
    }
  }
  return {};
}

}  // namespace

base::Result<void> find_given(const os::Path& root, const task::Definition& definition,
                              std::vector<task::Workload>& workloads) {
  for (task::Workload& workload : workloads) {
    workload.given.clear();
    ASSAY_TRY(find_given(root, definition, workload));
  }
  return {};
}

}  // namespace assay::dataset
