#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/operator.hpp>

namespace assay::verify {

/// An output that is wrong in a way that careless or cheating kernels are, and that a tolerance must tell from a right
/// one. Persisted as words; never renamed.
enum class Impostor : std::uint8_t {
  zeros,
  constant,        ///< Every element is the root mean square of what is expected (integers: the first expected one).
  copied_input,    ///< The bytes of an input of the same type, as many as fit, the rest zero.
  stale,           ///< What was right for the call before.
  less_precision,  ///< Rounded to fewer bits than an honest kernel works with: 11 for 24, 4 for 8 or 11.
  dropped_tile,    ///< A sixteenth of the elements, one after the other, left zero (integers: -1).
  wrong_row,       ///< Two neighbouring rows of the first axis longer than one exchanged.
};

[[nodiscard]] std::string_view to_string(Impostor impostor);
/// One sentence for people.
[[nodiscard]] std::string_view description(Impostor impostor);
[[nodiscard]] std::span<const Impostor> all_impostors();

/// What an impostor may be made of.
struct ImpostorSource {
  std::span<const double> expected;                  ///< Of this output, one double an element.
  std::span<const double> stale;                     ///< Of the call before; as many.
  std::span<const operators::ConstArgument> inputs;  ///< Of this call.
  int working_bits = 0;                              ///< Operator::working_bits of this output.
};

/// Writes the impostor's bytes into `output`. Returns false if there is none to be had: no input of that type, no
/// second row, an integer output for `less_precision`.
[[nodiscard]] bool make_impostor(Impostor impostor, const ImpostorSource& source, const tensor::View& output,
                                 base::Philox& random);

}  // namespace assay::verify
