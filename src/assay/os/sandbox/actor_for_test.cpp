// Does one thing inside the sandbox and says how it went on stdout: "ok …" or the name of an errno. Test code only.

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Arguments = std::vector<std::string>;

int say(bool good, const std::string& text = "") {
  std::cout << (good ? "ok " + text : std::string(strerrorname_np(errno))) << std::endl;
  return 0;
}

int say_result(long result) { return say(result >= 0, std::to_string(result)); }

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int read_path(const Arguments& arguments) {
  char byte = 0;
  const int fd = open(arguments[0].c_str(), O_RDONLY);
  return say(fd >= 0 && read(fd, &byte, 1) >= 0);
}

int write_path(const Arguments& arguments) {
  const int fd = open(arguments[0].c_str(), O_WRONLY | O_CREAT, 0600);
  return say(fd >= 0 && write(fd, "x", 1) == 1);
}

int list_folder(const Arguments& arguments) {
  DIR* folder = opendir(arguments[0].c_str());
  if (folder == nullptr) {
    return say(false);
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') {
      names.emplace_back(entry->d_name);
    }
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) {
    text += name + " ";
  }
  return say(true, text);
}

int name_space(const Arguments& arguments) {
  char target[64] = {};
  const bool good = readlink(("/proc/self/ns/" + arguments[0]).c_str(), target, sizeof target - 1) > 0;
  return say(good, target);
}

int status_line(const Arguments& arguments) {
  std::istringstream lines(slurp("/proc/self/status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(arguments[0] + ":")) {
      return say(true, line.substr(arguments[0].size() + 2));
    }
  }
  errno = ENOENT;
  return say(false);
}

int show_limits(const Arguments& /*arguments*/) {
  rlimit core{};
  rlimit stack{};
  rlimit processes{};
  getrlimit(RLIMIT_CORE, &core);
  getrlimit(RLIMIT_STACK, &stack);
  getrlimit(RLIMIT_NPROC, &processes);
  return say(true, "core " + std::to_string(core.rlim_max) + " stack " + std::to_string(stack.rlim_max >> 20U) +
                       " processes " + std::to_string(processes.rlim_max));
}

int run_threads(const Arguments& arguments) {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < std::stoi(arguments[0]); ++i) {
    threads.emplace_back([&sum] { ++sum; });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return say(true, std::to_string(sum.load()));
}

int allocate(const Arguments& arguments) {
  const std::size_t size = std::stoul(arguments[0]) << 20U;
  try {
    std::vector<char> memory(size);
    for (std::size_t i = 0; i < size; i += 4096) {
      memory[i] = 1;
    }
    return say(true, std::to_string(std::count(memory.begin(), memory.end(), 1)));
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return say(false);
  }
}

int speak_locale(const Arguments& /*arguments*/) {
  const char* name = std::setlocale(LC_ALL, "");
  return say(name != nullptr, name == nullptr ? "" : name);
}

int own_binary(const Arguments& /*arguments*/) {
  return say(slurp("/proc/self/exe")
                 .starts_with("\x7f"
                              "ELF"));
}

int map_executable(const Arguments& /*arguments*/) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return say(page != MAP_FAILED);
}

int fork_many(const Arguments& arguments) {
  for (int i = 0; i < std::stoi(arguments[0]); ++i) {
    const int pid = fork();
    if (pid == 0) {
      pause();
    }
    if (pid < 0) {
      return say(false);
    }
  }
  return say(true);
}

int fork_bomb(const Arguments& /*arguments*/) {
  while (true) {
    static_cast<void>(fork());
  }
}

int memory_bomb(const Arguments& /*arguments*/) {
  while (true) {
    void* page = mmap(nullptr, 1U << 20U, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (page == MAP_FAILED) {
      return say(false);
    }
  }
}

int fill_disk(const Arguments& arguments) {
  const std::string block(1U << 16U, 'x');
  for (int i = 0;; ++i) {
    const int fd = open((arguments[0] + "/file" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, block.data(), block.size()) < 0) {
      return say(false);
    }
    close(fd);
  }
}

int talk(const Arguments& /*arguments*/) {
  const std::string block(1U << 16U, 'x');
  while (write(1, block.data(), block.size()) > 0) {
  }
  return 1;
}

[[gnu::noinline]] int overflow(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

int escape_and_stay(const Arguments& /*arguments*/) {
  if (fork() == 0) {
    static_cast<void>(setsid());
    if (fork() == 0) {
      pause();
    }
    pause();
  }
  return say(true);
}

const std::map<std::string, std::function<int(const Arguments&)>> kActions = {
    {"read", read_path},
    {"write", write_path},
    {"list", list_folder},
    {"namespace", name_space},
    {"status", status_line},
    {"limits", show_limits},
    {"threads", run_threads},
    {"allocate", allocate},
    {"locale", speak_locale},
    {"own-binary", own_binary},
    {"map-executable", map_executable},
    {"fork-many", fork_many},
    {"fork-bomb", fork_bomb},
    {"memory-bomb", memory_bomb},
    {"fill-disk", fill_disk},
    {"talk", talk},
    {"escape", escape_and_stay},
    {"user", [](const Arguments&) { return say(true, std::to_string(geteuid()) + " " + std::to_string(getegid())); }},
    {"socket", [](const Arguments&) { return say_result(socket(AF_UNIX, SOCK_STREAM, 0)); }},
    {"ptrace", [](const Arguments&) { return say_result(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)); }},
    {"unshare", [](const Arguments&) { return say_result(unshare(CLONE_NEWUSER)); }},
    {"clone3", [](const Arguments&) { return say_result(syscall(435, nullptr, 0)); }},
    {"mount", [](const Arguments&) { return say_result(mount("none", "/tmp", "tmpfs", 0, nullptr)); }},
    {"setsid", [](const Arguments&) { return say_result(fork() == 0 ? setsid() : (wait(nullptr), 0)); }},
    {"shared-memory", [](const Arguments&) { return say_result(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)); }},
    {"signal-init", [](const Arguments&) { return say_result(kill(1, SIGKILL)); }},
    {"signal", [](const Arguments& words) { return say_result(kill(std::stoi(words[0]), 0)); }},
    {"hostname",
     [](const Arguments&) {
       char name[65] = {};
       const bool good = gethostname(name, sizeof name) == 0;
       return say(good, name);
     }},
    {"folder",
     [](const Arguments&) {
       char path[4096] = {};
       const bool good = getcwd(path, sizeof path) != nullptr;
       return say(good, path);
     }},
    {"execute",
     [](const Arguments& words) {
       execl(words[0].c_str(), words[0].c_str(), nullptr);
       return say(false);
     }},
    {"stop", [](const Arguments&) { return raise(SIGSTOP); }},
    {"close-all",
     [](const Arguments&) {
       close_range(0, ~0U, 0);
       pause();
       return 0;
     }},
    {"overflow", [](const Arguments&) { return overflow(0); }},
    {"abort", [](const Arguments&) -> int { std::abort(); }},
};

}  // namespace

int main(int argc, char** argv) {
  const Arguments words(argv + std::min(argc, 2), argv + argc);
  const auto action = kActions.find(argc > 1 ? argv[1] : "");
  return action == kActions.end() ? 99 : action->second(words);
}
