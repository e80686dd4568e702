#include <assay/os/sandbox/options.hpp>

#include <link.h>

#include <set>

#include <assay/os/sandbox/detect.hpp>

namespace assay::os {
namespace {

// What a C or C++ shared object may be linked against without saying so.
constexpr const char* kRuntimes[] = {"libc.so.6",      "libm.so.6",    "libdl.so.2",    "libpthread.so.0", "librt.so.1",
                                     "libstdc++.so.6", "libgomp.so.1", "libgcc_s.so.1", "libatomic.so.1"};

// In the order in which loaders of the usual distributions look.
constexpr const char* kLibraryFolders[] = {"/lib/x86_64-linux-gnu",
                                           "/usr/lib/x86_64-linux-gnu",
                                           "/lib/aarch64-linux-gnu",
                                           "/usr/lib/aarch64-linux-gnu",
                                           "/lib64",
                                           "/usr/lib64",
                                           "/lib",
                                           "/usr/lib"};
constexpr const char* kLoaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};

bool is_file(const Path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// Inside, a file has the name by which the loader looks for it, in the folder where it really is.
void add_file(std::vector<SandboxBind>& binds, std::set<std::string>& names, const Path& path,
              SandboxBind::Use use = SandboxBind::Use::read) {
  std::error_code error;
  const Path folder = std::filesystem::canonical(path.parent_path(), error);
  if (!error && is_file(path) && names.insert(path.filename().string()).second) {
    binds.push_back({path, folder / path.filename(), use});
  }
}

int collect(dl_phdr_info* info, std::size_t /*size*/, void* list) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
    static_cast<std::vector<Path>*>(list)->emplace_back(info->dlpi_name);
  }
  return 0;
}

void add_folder(std::vector<SandboxBind>& binds, const Path& path, SandboxBind::Use use) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored) && !std::filesystem::is_symlink(path, ignored)) {
    binds.push_back({path, path, use});
  }
}

}  // namespace

std::vector<SandboxBind> runtime_binds() {
  std::vector<SandboxBind> binds;
  std::set<std::string> names;
  for (const char* loader : kLoaders) {
    add_file(binds, names, loader, SandboxBind::Use::execute);
  }
  std::vector<Path> loaded;
  ::dl_iterate_phdr(&collect, &loaded);
  for (const Path& path : loaded) {
    add_file(binds, names, path);
  }
  for (const char* name : kRuntimes) {
    for (const char* folder : kLibraryFolders) {
      add_file(binds, names, Path(folder) / name);
    }
  }
  add_file(binds, names, "/etc/ld.so.cache");
  add_folder(binds, "/usr/lib/locale/C.utf8", SandboxBind::Use::read);
  return binds;
}

std::vector<SandboxBind> toolchain_binds(const Path& compiler) {
  std::vector<SandboxBind> binds;
  for (const char* folder : {"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin"}) {
    add_folder(binds, folder, SandboxBind::Use::execute);
  }
  add_folder(binds, "/etc/alternatives", SandboxBind::Use::read);
  std::set<std::string> names;
  add_file(binds, names, "/etc/ld.so.cache");
  std::error_code error;
  const Path real = std::filesystem::canonical(compiler, error);
  if (error || real.string().starts_with("/usr/")) {
    return binds;
  }
  // A compiler of its own tree, such as /opt/gcc/bin/g++ or CUDA's; not all of a home that has a folder bin.
  const Path tree = real.parent_path().parent_path();
  const bool is_tree = std::filesystem::is_directory(tree / "lib" / "gcc", error) ||
                       std::filesystem::is_directory(tree / "lib" / "clang", error) ||
                       std::filesystem::is_directory(tree / "nvvm", error);
  add_folder(binds, is_tree && tree != "/" ? tree : real.parent_path(), SandboxBind::Use::execute);
  return binds;
}

Path seen_path(const Path& host, const Path& inside) {
  return sandbox_support().report.applied.has(Mechanism::private_root) ? inside : host;
}

}  // namespace assay::os
