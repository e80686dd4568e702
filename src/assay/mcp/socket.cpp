#include <assay/mcp/socket.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace assay::mcp {
namespace {

constexpr int kBacklog = 8;

base::Result<sockaddr_un> address_of(const os::Path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    return base::input_error("mcp.socket", path.string() + ": longer than a socket's name may be: take a shorter one");
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  return address;
}

base::Result<os::Fd> new_socket() {
  os::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return base::system_error("mcp.socket", "cannot make a socket", errno);
  }
  return fd;
}

}  // namespace

base::Result<os::Fd> listen_at(const os::Path& path) {
  ASSAY_TRY_ASSIGN(const sockaddr_un address, address_of(path));
  ASSAY_TRY_ASSIGN(os::Fd fd, new_socket());
  constexpr mode_t kEverybody = 0666;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), kEverybody) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return base::system_error("mcp.socket", "cannot listen at " + path.string(), errno);
  }
  return fd;
}

base::Result<os::Fd> connect_to(const os::Path& path) {
  ASSAY_TRY_ASSIGN(const sockaddr_un address, address_of(path));
  ASSAY_TRY_ASSIGN(os::Fd fd, new_socket());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return base::input_error("mcp.nobody_listens",
                             path.string() + ": nobody listens there (" + std::strerror(errno) +
                                 "): only inside a run of an agent, while its campaign goes on, somebody does");
  }
  return fd;
}

}  // namespace assay::mcp
