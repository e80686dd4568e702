#include <assay/certify/files.hpp>

#include <fmt/core.h>

#include <system_error>

#include <assay/base/text.hpp>

namespace assay::certify {
namespace {

// A certificate's folder has two levels; more is none of ours.
constexpr int kMostLevels = 4;

base::Result<void> read_below(const os::Path& folder, const std::string& prefix, int level, Files& files) {
  if (level > kMostLevels) {
    return base::input_error("certificate.folder",
                             fmt::format("{}: has folders below folders: this is no certificate", folder.string()));
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder));
  for (const std::string& name : names) {
    const os::Path path = folder / name;
    std::error_code error;
    const auto type = std::filesystem::symlink_status(path, error).type();
    if (type == std::filesystem::file_type::directory) {
      ASSAY_TRY(read_below(path, prefix + name + "/", level + 1, files));
    } else if (type == std::filesystem::file_type::regular) {
      ASSAY_TRY_ASSIGN(files[prefix + name], os::read_file(path));
    } else {
      return base::input_error("certificate.file",
                               fmt::format("{}: is no regular file: a certificate has no others", path.string()));
    }
  }
  return {};
}

}  // namespace

base::Result<Files> read_folder(const os::Path& folder_or_certificate) {
  std::error_code error;
  os::Path folder = folder_or_certificate;
  if (!std::filesystem::is_directory(folder, error) && folder.filename() == kCertificateFile) {
    folder = folder.has_parent_path() ? folder.parent_path() : os::Path(".");
  }
  if (!std::filesystem::is_regular_file(folder / kCertificateFile, error)) {
    return base::input_error("certificate.not_found",
                             fmt::format("{}: holds no {}: name the folder that `assay certificate` wrote",
                                         base::printable(folder_or_certificate.string()), kCertificateFile));
  }
  Files files;
  ASSAY_TRY(read_below(folder, "", 1, files));
  return files;
}

base::Result<void> write_folder(const os::Path& folder, const Files& files) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, error))) {
    return base::input_error("certificate.exists",
                             fmt::format("{}: exists already: remove it, or name another folder", folder.string()));
  }
  os::Path partial = folder;
  partial += ".partial";
  ASSAY_TRY(os::remove_tree(partial));
  for (const auto& [name, content] : files) {
    const os::Path path = partial / name;
    ASSAY_TRY(os::create_directories(path.parent_path()));
    ASSAY_TRY(os::write_file_atomic(path, content));
  }
  return os::rename_path(partial, folder);
}

}  // namespace assay::certify
