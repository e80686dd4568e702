// A fuzz target without libFuzzer, so that every `./dev test` fuzzes for a few seconds with whatever compiler there is:
//   <target>_short_fuzz SEEDS_FOLDER SECONDS [SEED]
// The seeds as they are come first, then blind mutations of them. An input that ends the process is left in the working
// directory, and its name is printed, with what repeats the run.
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mutator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using assay::fuzz::Input;

// What is being tried, for the handler: set before the signal can come, and only read there.
const Input* current = nullptr;
char artifact[128] = "crash";
constexpr unsigned kSlowestSeconds = 10;

void keep_input(int signal_number) {
  const int file = open(artifact, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && current != nullptr) {
    static_cast<void>(!write(file, current->data(), current->size()));
    close(file);
  }
  for (const char* part : {"the input that ended this is in ", static_cast<const char*>(artifact), "\n"}) {
    static_cast<void>(!write(STDERR_FILENO, part, std::char_traits<char>::length(part)));
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void attempt(const Input& input) {
  current = &input;
  alarm(kSlowestSeconds);
  LLVMFuzzerTestOneInput(input.data(), input.size());
  alarm(0);
}

std::vector<Input> read_seeds(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} SEEDS_FOLDER SECONDS [SEED]\n", argv[0]);
    return 2;
  }
  const std::vector<Input> seeds = read_seeds(argv[1]);
  if (seeds.empty()) {
    fmt::print(stderr, "{}: no seeds in {}\n", argv[0], argv[1]);
    return 2;
  }
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : assay::base::entropy_seed();
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  fmt::format_to_n(artifact, sizeof artifact - 1, "crash-{}-{}", name.substr(0, 64), seed);
  fmt::print("seed {}\n", seed);
  std::fflush(stdout);
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    signal(number, keep_input);
  }
  for (const Input& input : seeds) {
    attempt(input);
  }
  assay::base::Philox random(seed, assay::base::stream_id(name));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::strtod(argv[2], nullptr));
  std::uint64_t tried = seeds.size();
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    attempt(assay::fuzz::mutate(seeds, random));
  }
  fmt::print("{} inputs, nothing found\n", tried);
  return 0;
}
