#pragma once

#include <string>
#include <vector>

#include <assay/base/json.hpp>

namespace assay::certify {

/// One way in which a certificate differs from what its evidence gives: where (a JSON pointer into certificate.json, or the
/// path of a file), and what, with both values.
struct Difference {
  std::string place;
  std::string what;
};

/// Returns the number with nine significant digits. Machines differ in the last of seventeen (another libm, another
/// compiler), so that an exact comparison would refuse honest certificates, and one with a tolerance would let an
/// edited digit pass.
[[nodiscard]] double nine_digits(double value);

/// Returns the document with every floating-point number so rounded: the form that is written.
[[nodiscard]] base::Json rounded(const base::Json& json);

/// Lists how a certificate differs from what was derived, field by field; empty if it does not. Derived numbers are not
/// rounded yet: a number agrees if it is the rounding of the derived one, or of one within 1e-12 of it. Types and the order
/// of fields count.
[[nodiscard]] std::vector<Difference> differences(const base::Json& given, const base::Json& derived);

}  // namespace assay::certify
