#include "mutator.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace assay::fuzz {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 16U;

std::size_t place(const Input& input, base::Philox& random) {
  return static_cast<std::size_t>(random.next_below(input.size() + 1));
}

// A piece of `input`, mostly short: [first, last).
std::pair<std::ptrdiff_t, std::ptrdiff_t> piece(const Input& input, base::Philox& random) {
  const std::size_t first = place(input, random);
  const std::size_t most = input.size() - first;
  const std::size_t length =
      random.next_below(4) == 0 ? random.next_below(most + 1) : std::min<std::size_t>(most, random.next_below(17));
  return {static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(first + length)};
}

void insert_piece(Input& into, const Input& from, base::Philox& random) {
  const auto [first, last] = piece(from, random);
  const Input copy(from.begin() + first, from.begin() + last);
  into.insert(into.begin() + static_cast<std::ptrdiff_t>(place(into, random)), copy.begin(), copy.end());
}

void write_edge(Input& input, base::Philox& random) {
  constexpr std::array<std::uint64_t, 10> kEdges = {0,      1,          0x7f,       0x80,       0xff,
                                                    0x7fff, 0xffffffff, 0x7fffffff, 1ULL << 63, ~0ULL};
  const std::uint64_t value = kEdges[random.next_below(kEdges.size())];
  const std::size_t width = std::size_t{1} << random.next_below(4);
  const std::size_t first = place(input, random);
  for (std::size_t i = 0; i < width && first + i < input.size(); ++i) {
    input[first + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

void change(Input& input, const std::vector<Input>& seeds, base::Philox& random) {
  const std::uint64_t kind = input.empty() ? 4 : random.next_below(7);
  switch (kind) {
    case 0:
      input[random.next_below(input.size())] ^= static_cast<std::uint8_t>(1U << random.next_below(8));
      return;
    case 1:
      input[random.next_below(input.size())] = static_cast<std::uint8_t>(random.next_u32());
      return;
    case 2:
      write_edge(input, random);
      return;
    case 3: {
      const auto [first, last] = piece(input, random);
      input.erase(input.begin() + first, input.begin() + last);
      return;
    }
    case 4:
      insert_piece(input, seeds[random.next_below(seeds.size())], random);
      return;
    case 5:
      insert_piece(input, Input(input), random);
      return;
    default:
      if (random.next_below(8) == 0) {
        input.resize(place(input, random));
      }
      return;
  }
}

}  // namespace

Input mutate(const std::vector<Input>& seeds, base::Philox& random) {
  Input input = seeds[random.next_below(seeds.size())];
  for (std::uint64_t changes = 1 + random.next_below(8); changes > 0; --changes) {
    change(input, seeds, random);
  }
  input.resize(std::min(input.size(), kLongest));
  return input;
}

}  // namespace assay::fuzz
