// Plays an agent's program for tests: replays recorded streams, writes files, calls an MCP server, hangs, dies. Its script is
// the environment variable FAKE_AGENT, one step a line; what it writes on stdout comes from recorded streams alone.
//
// In the sandbox of agents there is no such variable, and nothing beside the program. So a copy of it may carry a script, and
// files that the script names, behind its own bytes: for each "NAME SIZE\n" and the bytes, then where the first begins as 16
// decimal digits, then "FAKEAGENT". The one called "script" is the script.
//
//   replay FILE [BYTES]    write the file, or its first bytes, on stdout
//   rest FILE BYTES        write the file from there on, on stdout
//   copy FILE NAME         write the file into another
//   add NAME TEXT          append a line to a file
//   begin DIALOGUE WORD…   start an MCP server, and play the recorded client's lines up to its first call of a tool
//   call TOOL ARGUMENTS    call a tool as the recorded client does, and wait for the answer. In the arguments ${NAME} is the
//                          content of a file as a JSON text, and ${job} the job that was answered last
//   until WORDS            call the same again until the answer has the words, 60 times at most
//   start TOOL ARGUMENTS   call a tool and do not wait
//   half TOOL ARGUMENTS    write the first half of a call
//   answers NAME           write into a file what the server has said so far
//   leave                  close the server's input and wait for its end
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
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/fake_agent_client_for_test.hpp>

extern char** environ;

namespace {

std::string account;  // What remains to be told when interrupted.
std::map<std::string, std::string> carried;

// Finds what was put behind the program's own bytes.
void unpack(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const std::string all = bytes.str();
  constexpr std::string_view kEnd = "FAKEAGENT";
  constexpr std::size_t kDigits = 16;
  if (all.size() < kEnd.size() + kDigits || !std::string_view(all).ends_with(kEnd)) {
    return;
  }
  const std::size_t end = all.size() - kEnd.size() - kDigits;
  for (std::size_t at = std::stoul(all.substr(end, kDigits)); at < end;) {
    const std::size_t newline = all.find('\n', at);
    std::istringstream header(all.substr(at, newline - at));
    std::string name;
    std::size_t size = 0;
    header >> name >> size;
    carried[name] = all.substr(newline + 1, size);
    at = newline + 1 + size;
  }
}

std::string slurp(const std::string& path) {
  if (const auto found = carried.find(path); found != carried.end()) {
    return found->second;
  }
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

assay::agent::testing::FakeClient client(slurp);

// A step of the conversation with a server; says whether it was one.
bool converse(const std::string& verb, std::istringstream& rest) {
  std::string word;
  std::string arguments;
  if (verb == "begin") {
    std::string dialogue;
    std::vector<std::string> words;
    rest >> dialogue;
    while (rest >> word) {
      words.push_back(word);
    }
    client.begin(dialogue, words);
  } else if (verb == "call" || verb == "start" || verb == "half") {
    rest >> word;
    std::getline(rest >> std::ws, arguments);
    if (verb == "call") {
      client.call(word, arguments);
    } else if (verb == "start") {
      static_cast<void>(client.send(word, arguments));
    } else {
      client.half(word, arguments);
    }
  } else if (verb == "until") {
    std::getline(rest >> std::ws, arguments);
    client.until(arguments);
  } else if (verb == "answers") {
    rest >> word;
    std::ofstream(word) << client.heard();
  } else if (verb == "leave") {
    client.leave();
  } else {
    return false;
  }
  return true;
}

void perform(const std::string& verb, std::istringstream& rest, const std::vector<std::string>& arguments) {
  std::string name;
  if (converse(verb, rest)) {
    return;
  }
  if (verb == "rest") {
    std::size_t from = 0;
    rest >> name >> from;
    put(slurp(name).substr(from));
  } else if (verb == "copy" || verb == "add") {
    std::string second;
    rest >> name;
    std::getline(rest >> std::ws, second);
    if (verb == "copy") {
      std::ofstream(second, std::ios::binary) << slurp(name);
    } else {
      std::ofstream(name, std::ios::app) << with_newlines(second) << '\n';
    }
  } else if (verb == "replay") {
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
  unpack(argv[0]);
  const char* given = getenv("FAKE_AGENT");
  const auto own = carried.find("script");
  std::istringstream lines(own != carried.end() ? own->second : given == nullptr ? "" : given);
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
