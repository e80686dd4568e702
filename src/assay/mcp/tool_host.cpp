#include <assay/mcp/tool_host.hpp>

#include <sys/socket.h>

#include <cerrno>

#include <assay/mcp/serve.hpp>
#include <assay/mcp/socket.hpp>

namespace assay::mcp {
namespace {

// A client starts a server a few times at most; whoever opens more waits for nothing.
constexpr std::size_t kMostConversations = 64;

}  // namespace

base::Result<std::unique_ptr<ToolHost>> ToolHost::open(std::unique_ptr<Toolbox> toolbox, const os::Path& socket,
                                                       std::string version) {
  ASSAY_TRY_ASSIGN(os::Fd listener, listen_at(socket));
  return std::unique_ptr<ToolHost>(new ToolHost(std::move(toolbox), std::move(listener), std::move(version)));
}

ToolHost::ToolHost(std::unique_ptr<Toolbox> toolbox, os::Fd listener, std::string version)
    : toolbox_(std::move(toolbox)), listener_(std::move(listener)), version_(std::move(version)) {
  door_ = std::thread([this] { welcome(); });
}

ToolHost::~ToolHost() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    for (Conversation& conversation : conversations_) {
      ::shutdown(conversation.socket.get(), SHUT_RDWR);
    }
  }
  door_.join();
  for (Conversation& conversation : conversations_) {
    conversation.thread.join();
  }
}

void ToolHost::welcome() {
  while (true) {
    os::Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const bool passing = !client.valid() && (errno == EINTR || errno == ECONNABORTED);
    const std::scoped_lock lock(mutex_);
    if (closing_ || (!client.valid() && !passing)) {
      return;
    }
    if (passing || conversations_.size() >= kMostConversations) {
      continue;
    }
    Conversation& conversation = conversations_.emplace_back();
    conversation.socket = std::move(client);
    conversation.thread = std::thread([this, fd = conversation.socket.get()] {
      // What ends it is the machine's or the client's; the next one may connect all the same.
      static_cast<void>(serve(*toolbox_, version_, fd, fd));
      ::shutdown(fd, SHUT_RDWR);
    });
  }
}

}  // namespace assay::mcp
