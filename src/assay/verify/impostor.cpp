#include <assay/verify/impostor.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <assay/tensor/comparison.hpp>
#include <assay/tensor/rounding.hpp>

namespace assay::verify {

namespace {

constexpr std::array<Impostor, 7> kImpostors = {Impostor::zeros,    Impostor::constant,       Impostor::copied_input,
                                                Impostor::stale,    Impostor::less_precision, Impostor::dropped_tile,
                                                Impostor::wrong_row};
constexpr std::array<std::string_view, 7> kWords = {"zeros",          "constant",     "copied_input", "stale",
                                                    "less_precision", "dropped_tile", "wrong_row"};
constexpr std::array<std::string_view, 7> kSentences = {
    "every element is 0",
    "every element is the root mean square of what is expected",
    "the bytes of an input",
    "what was right for the call before",
    "rounded to fewer bits than an honest kernel works with",
    "a sixteenth of the elements was left 0",
    "two neighbouring rows are exchanged",
};

bool copy_input(const ImpostorSource& source, const tensor::View& output) {
  for (const operators::ConstArgument& argument : source.inputs) {
    const auto* view = std::get_if<tensor::ConstView>(&argument);
    if (view == nullptr || view->dtype != output.dtype || view->bytes.empty()) {
      continue;
    }
    std::fill(output.bytes.begin(), output.bytes.end(), std::byte{0});
    std::memcpy(output.bytes.data(), view->bytes.data(), std::min(view->bytes.size(), output.bytes.size()));
    return true;
  }
  return false;
}

bool exchange_rows(std::vector<double>& values, const tensor::Shape& shape, base::Philox& random) {
  std::size_t size = values.size();
  for (const std::int64_t extent : shape) {
    const auto rows = static_cast<std::size_t>(extent);
    size = rows == 0 ? 0 : size / rows;
    if (rows > 1 && size > 0) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(random.next_below(rows - 1) * size);
      std::swap_ranges(first, first + static_cast<std::ptrdiff_t>(size), first + static_cast<std::ptrdiff_t>(size));
      return true;
    }
  }
  return false;
}

void drop_tile(std::vector<double>& values, bool floating, base::Philox& random) {
  const std::size_t tile = std::max<std::size_t>(1, values.size() / 16);
  const std::size_t first = random.next_below(values.size() - tile + 1);
  std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), tile, floating ? 0.0 : -1.0);
}

}  // namespace

std::string_view to_string(Impostor impostor) { return kWords[static_cast<std::size_t>(impostor)]; }

std::string_view description(Impostor impostor) { return kSentences[static_cast<std::size_t>(impostor)]; }

std::span<const Impostor> all_impostors() { return kImpostors; }

bool make_impostor(Impostor impostor, const ImpostorSource& source, const tensor::View& output, base::Philox& random) {
  if (source.expected.empty()) {
    return false;
  }
  const bool floating = tensor::is_floating(output.dtype);
  std::vector<double> values(source.expected.begin(), source.expected.end());
  switch (impostor) {
    case Impostor::zeros:
      std::fill(values.begin(), values.end(), 0.0);
      break;
    case Impostor::constant:
      std::fill(values.begin(), values.end(),
                floating ? tensor::root_mean_square(source.expected) : source.expected[0]);
      break;
    case Impostor::copied_input:
      return copy_input(source, output);
    case Impostor::stale:
      ASSAY_CHECK(source.stale.size() == values.size());
      values.assign(source.stale.begin(), source.stale.end());
      break;
    case Impostor::less_precision: {
      if (!floating) {
        return false;
      }
      const int bits = source.working_bits;
      const int fewer = bits > 11 ? 11 : bits > 4 ? 4 : std::max(1, bits - 1);
      std::transform(values.begin(), values.end(), values.begin(),
                     [&](double value) { return tensor::round_to_bits(value, fewer); });
      break;
    }
    case Impostor::dropped_tile:
      drop_tile(values, floating, random);
      break;
    case Impostor::wrong_row:
      if (!exchange_rows(values, output.shape, random)) {
        return false;
      }
      break;
  }
  tensor::write_rounded(output, values);
  return true;
}

}  // namespace assay::verify
