#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// A part of fake_agent, which nothing of ours is linked with.
namespace assay::agent::testing {

/// Calls tools as a recorded client did: all that it says is the recording's, but for tool, arguments and id.
class FakeClient {
 public:
  /// `slurp` reads a file by the name that a script gives it.
  explicit FakeClient(std::string (*slurp)(const std::string& name)) : slurp_(slurp) {}

  void begin(const std::string& dialogue, const std::vector<std::string>& words) {
    start_server(words);
    std::istringstream lines(slurp_(dialogue));
    std::string line;
    while (std::getline(lines, line)) {
      if (!line.starts_with("C->S ")) {
        continue;
      }
      line.erase(0, 5);
      if (line.find("\"tools/call\"") != std::string::npos) {
        template_ = line;
        return;
      }
      const std::string id = id_of(line);
      write_all(line + "\n");
      if (!id.empty()) {
        next_ = id.front() == '"' ? next_ : std::stoi(id) + 1;
        static_cast<void>(answer_to(id));
      }
    }
    fail("the dialogue calls no tool");
  }

  void call(const std::string& tool, const std::string& arguments) {
    last_tool_ = tool;
    last_arguments_ = arguments;
    last_answer_ = answer_to(send(tool, arguments));
    const std::string key = "\"job\":\"";
    if (const std::size_t at = last_answer_.find(key); at != std::string::npos) {
      job_ = last_answer_.substr(at + key.size(), last_answer_.find('"', at + key.size()) - at - key.size());
    }
  }

  void until(const std::string& words) {
    for (int i = 0; last_answer_.find(words) == std::string::npos; ++i) {
      if (i == kMostCalls) {
        fail("the server never said " + words);
      }
      call(last_tool_, last_arguments_);
    }
  }

  std::string send(const std::string& tool, const std::string& arguments) {
    const std::string id = std::to_string(next_++);
    write_all(line_of(tool, arguments, id) + "\n");
    return id;
  }

  void half(const std::string& tool, const std::string& arguments) {
    const std::string line = line_of(tool, arguments, std::to_string(next_++));
    write_all(line.substr(0, line.size() / 2));
  }

  void leave() {
    close(to_);
    while (read_more()) {
    }
    int status = 0;
    waitpid(server_, &status, 0);
  }

  [[nodiscard]] const std::string& heard() const { return heard_; }

 private:
  static constexpr int kMostCalls = 60;

  [[noreturn]] static void fail(const std::string& what) {
    std::cerr << "fake_agent: " << what << std::endl;
    _exit(95);
  }

  void write_all(const std::string& bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count = write(to_, bytes.data() + at, bytes.size() - at);
      if (count <= 0) {
        fail("the server reads no more");
      }
      at += static_cast<std::size_t>(count);
    }
  }

  void start_server(std::vector<std::string> words) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
      fail("no pipe");
    }
    signal(SIGPIPE, SIG_IGN);
    server_ = fork();
    if (server_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      std::vector<char*> argv;
      for (std::string& word : words) {
        argv.push_back(word.data());
      }
      argv.push_back(nullptr);
      execvp(argv[0], argv.data());
      _exit(94);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }

  // Both clients write it right behind the version, wherever in the message that stands.
  static std::pair<std::size_t, std::size_t> id_place(const std::string& line) {
    const std::string key = "\"jsonrpc\":\"2.0\",\"id\":";
    const std::size_t at = line.find(key);
    if (at == std::string::npos) {
      return {0, 0};
    }
    const std::size_t begin = at + key.size();
    return {begin, line.find_first_of(",}", begin)};
  }
  static std::string id_of(const std::string& line) {
    const auto [begin, end] = id_place(line);
    return line.substr(begin, end - begin);
  }

  static void replace(std::string& line, const std::string& what, const std::string& with) {
    const std::size_t at = line.find(what);
    if (at == std::string::npos) {
      fail("the recorded call has no " + what);
    }
    line.replace(at, what.size(), with);
  }

  static std::string quoted(const std::string& text) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string json = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        json += '\\';
        json += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        json += std::string("\\u00") + kDigits[(c >> 4) & 1] + kDigits[c & 15];
      } else {
        json += c;
      }
    }
    return json + "\"";
  }

  std::string line_of(const std::string& tool, std::string arguments, const std::string& id) const {
    for (std::size_t at = arguments.find("${"); at != std::string::npos; at = arguments.find("${", at)) {
      const std::size_t end = arguments.find('}', at);
      const std::string name = arguments.substr(at + 2, end - at - 2);
      const std::string value = quoted(name == "job" ? job_ : slurp_(name));
      arguments.replace(at, end + 1 - at, value);
      at += value.size();
    }
    std::string line = template_;
    const auto [begin, end] = id_place(line);
    line.replace(begin, end - begin, id);
    replace(line, "\"name\":\"evaluate_candidate\"", "\"name\":\"" + tool + "\"");
    replace(line, "\"arguments\":{\"path\":\"kernel.cu\"}", "\"arguments\":" + arguments);
    return line;
  }

  bool read_more() {
    std::array<char, 65536> buffer{};
    const ssize_t count = read(from_, buffer.data(), buffer.size());
    if (count > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(count));
      heard_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return count > 0;
  }

  std::string answer_to(const std::string& id) {
    while (true) {
      for (std::size_t end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
        const std::string line = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        if (id_of(line) == id) {
          return line;
        }
      }
      if (!read_more()) {
        fail("the server ended without an answer to " + id);
      }
    }
  }

  std::string (*slurp_)(const std::string& name);
  pid_t server_ = -1;
  int to_ = -1;
  int from_ = -1;
  int next_ = 0;
  std::string template_;
  std::string unread_;
  std::string heard_;
  std::string job_;
  std::string last_tool_;
  std::string last_arguments_;
  std::string last_answer_;
};

}  // namespace assay::agent::testing
