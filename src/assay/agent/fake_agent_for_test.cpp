// Plays an agent's program for tests: replays recorded streams, writes files, hangs, dies. Its script is the environment
// variable FAKE_AGENT, one step a line; what it writes on stdout comes from recorded streams alone.
//
//   replay FILE [BYTES]    write the file, or its first bytes, on stdout
//   write NAME TEXT        write a file in the folder; \n in TEXT is a newline
//   link NAME TARGET       make a symbolic link
//   arguments NAME         write what it was started with into a file, one word a line
//   environment NAME       write its environment into a file
//   errors TEXT            write on stderr
//   deaf                   ignore SIGINT and SIGTERM
//   account FILE BYTES     when interrupted: write the file from there on, and end with 0
//   child                  start a child in a session of its own that hangs
//   open PATH              say on stderr whether the path can be opened
//   connect                say on stderr whether a socket can be made
//   flood                  write the same recorded bytes for ever
//   hang                   wait for ever
//   exit CODE              end; so does the end of the script, with 0

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

extern char** environ;

namespace {

std::string account;  // What remains to be told when interrupted.

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "fake_agent: cannot read " << path << std::endl;
    _exit(97);
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void put(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = write(STDOUT_FILENO, bytes.data() + at, bytes.size() - at);
    if (count <= 0) {
      _exit(96);
    }
    at += static_cast<std::size_t>(count);
  }
}

void tell_account(int /*signal*/) {
  put(account);
  _exit(0);
}

std::string with_newlines(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool newline = text.compare(i, 2, "\\n") == 0;
    result += newline ? '\n' : text[i];
    i += newline ? 1 : 0;
  }
  return result;
}

[[noreturn]] void hang() {
  while (true) {
    pause();
  }
}

void say(const std::string& what, bool good) {
  std::cerr << what << ": " << (good ? "yes" : strerrorname_np(errno)) << std::endl;
}

void perform(const std::string& verb, std::istringstream& rest, const std::vector<std::string>& arguments) {
  std::string name;
  if (verb == "replay") {
    std::size_t bytes = std::string::npos;
    rest >> name >> bytes;
    put(slurp(name).substr(0, rest.fail() ? std::string::npos : bytes));
  } else if (verb == "write") {
    std::string text;
    rest >> name;
    std::getline(rest >> std::ws, text);
    std::ofstream(name) << with_newlines(text);
  } else if (verb == "link") {
    std::string target;
    rest >> name >> target;
    say("link", symlink(target.c_str(), name.c_str()) == 0);
  } else if (verb == "arguments") {
    rest >> name;
    std::ofstream file(name);
    for (const std::string& argument : arguments) {
      file << argument << '\n';
    }
  } else if (verb == "environment") {
    rest >> name;
    std::ofstream file(name);
    for (char** one = environ; *one != nullptr; ++one) {
      file << *one << '\n';
    }
  } else if (verb == "errors") {
    std::cerr << rest.str() << std::endl;
  } else if (verb == "deaf") {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
  } else if (verb == "account") {
    std::size_t from = 0;
    rest >> name >> from;
    account = slurp(name).substr(from);
    signal(SIGINT, tell_account);
  } else if (verb == "child") {
    if (fork() == 0) {
      setsid();
      hang();
    }
  } else if (verb == "open") {
    rest >> name;
    say(name, open(name.c_str(), O_RDONLY | O_CLOEXEC) >= 0);
  } else if (verb == "connect") {
    say("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  } else if (verb == "flood") {
    rest >> name;
    const std::string bytes = slurp(name);
    while (true) {
      put(bytes);
    }
  } else if (verb == "hang") {
    hang();
  } else if (verb == "exit") {
    int code = 0;
    rest >> code;
    _exit(code);
  } else {
    std::cerr << "fake_agent: no such step: " << verb << std::endl;
    _exit(98);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* script = getenv("FAKE_AGENT");
  std::istringstream lines(script == nullptr ? "" : script);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string verb;
    if (words >> verb) {
      perform(verb, words, {argv, argv + argc});
    }
  }
  return 0;
}
