#include <assay/operators/given_inputs.hpp>

#include <cstring>
#include <variant>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>

namespace assay::operators {
namespace {

// About 0.1 ms of copying: starting a thread takes less.
constexpr std::size_t kBytesAPiece = std::size_t{1} << 20U;

std::span<std::byte> place_of(const GivenInputs& given, std::size_t position, std::span<Argument> arguments) {
  ASSAY_CHECK(position < arguments.size() && std::holds_alternative<tensor::View>(arguments[position]));
  const std::span<std::byte> to = std::get<tensor::View>(arguments[position]).bytes;
  ASSAY_CHECK(to.size() == given.bytes[position].size());
  return to;
}

void copy_in_parallel(std::span<const std::byte> from, std::span<std::byte> to) {
  base::parallel_for((from.size() + kBytesAPiece - 1) / kBytesAPiece, [&](std::size_t piece) {
    const std::size_t begin = piece * kBytesAPiece;
    std::memcpy(to.data() + begin, from.data() + begin, std::min(kBytesAPiece, from.size() - begin));
  });
}

}  // namespace

void copy_given(const GivenInputs& given, std::size_t position, std::span<Argument> arguments) {
  if (given.has(position)) {
    copy_in_parallel(given.bytes[position], place_of(given, position, arguments));
  }
}

void copy_given_turned(const GivenInputs& given, std::size_t position, std::size_t count, std::size_t turn,
                       std::span<Argument> arguments) {
  if (!given.has(position)) {
    return;
  }
  const std::span<std::byte> to = place_of(given, position, arguments);
  ASSAY_CHECK(count > 0 && to.size() % count == 0 && turn < count);
  const std::size_t head = turn * (to.size() / count);
  copy_in_parallel(given.bytes[position].subspan(head), to.first(to.size() - head));
  copy_in_parallel(given.bytes[position].first(head), to.subspan(to.size() - head));
}

}  // namespace assay::operators
