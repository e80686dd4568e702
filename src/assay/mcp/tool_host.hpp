#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <assay/base/error.hpp>
#include <assay/mcp/toolbox.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>

namespace assay::mcp {

/// Serves a toolbox to everybody who connects to a socket, each in a thread of its own. The toolbox must be thread-safe.
class ToolHost {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<ToolHost>> open(std::unique_ptr<Toolbox> toolbox,
                                                                    const os::Path& socket, std::string version);
  /// Ends all conversations.
  ~ToolHost();
  ToolHost(const ToolHost&) = delete;
  ToolHost& operator=(const ToolHost&) = delete;

 private:
  struct Conversation {
    os::Fd socket;
    std::thread thread;
  };
  ToolHost(std::unique_ptr<Toolbox> toolbox, os::Fd listener, std::string version);
  void welcome();

  std::unique_ptr<Toolbox> toolbox_;
  os::Fd listener_;
  std::string version_;
  std::mutex mutex_;
  bool closing_ = false;
  std::list<Conversation> conversations_;
  std::thread door_;
};

}  // namespace assay::mcp
