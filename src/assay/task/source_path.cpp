#include <assay/task/source_path.hpp>

#include <algorithm>

#include <assay/base/text.hpp>

namespace assay::task {

std::string normalise_source_path(std::string_view path) {
  std::vector<std::string> kept;
  for (std::string& part : base::split(path, '/')) {
    if (!part.empty() && part != ".") {
      kept.push_back(std::move(part));
    }
  }
  return base::join(kept, "/");
}

std::optional<std::string> source_path_fault(std::string_view path) {
  if (path.empty()) {
    return "is empty: name the file";
  }
  if (path.front() == '/') {
    return "is absolute: give a path relative to the solution";
  }
  const std::vector<std::string> parts = base::split(path, '/');
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    return "leads out of the solution with \"..\": give a path inside it";
  }
  if (parts.back().empty() || parts.back() == ".") {
    return "names a folder: name a file";
  }
  const bool control =
      std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (control) {
    return "holds a control character: use a plain name";
  }
  return std::nullopt;
}

}  // namespace assay::task
