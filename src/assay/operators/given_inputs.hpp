#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <assay/operators/argument.hpp>

namespace assay::operators {

/// How a call's inputs relate to what a dataset gives.
enum class Variation : std::uint8_t {
  none,  ///< They hold just that.
  /// They are changed by what leaves a call's work and the size of its values as they are (an exchange of tokens, another
  /// place in memory, signs), or generated anew: new contents for each call.
  symmetric,
};

/// Contents of inputs that a dataset gives, in the definition's order; empty where none are given.
struct GivenInputs {
  std::vector<std::span<const std::byte>> bytes;
  Variation variation = Variation::none;

  [[nodiscard]] bool has(std::size_t position) const { return position < bytes.size() && !bytes[position].empty(); }
  [[nodiscard]] bool varied() const { return variation == Variation::symmetric; }
};

/// Copies one input as it is given, if it is. The argument is a tensor of as many bytes (checked).
void copy_given(const GivenInputs& given, std::size_t position, std::span<Argument> arguments);

/// The same with the elements of the first axis, `count` of them, turned: element i becomes that of i + turn.
void copy_given_turned(const GivenInputs& given, std::size_t position, std::size_t count, std::size_t turn,
                       std::span<Argument> arguments);

}  // namespace assay::operators
