#include <assay/verify/output_check.hpp>

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include <assay/tensor/comparison.hpp>
#include <assay/tensor/error_map.hpp>

namespace assay::verify {

namespace {

bool near(double got, double expected) { return std::fabs(got - expected) <= 0.05 * std::fabs(expected); }

// Finds elements that the call left alone. A value may happen to equal the poison, 16 bits easily: this runs only after
// the comparison failed, only elements that are far from right count, and most of those must hold the poison.
std::optional<task::Finding> find_unwritten(const Place& place, const tensor::ConstView& view, const OutputGuard& guard,
                                            std::span<const double> expected) {
  std::size_t count = 0;
  std::size_t far = 0;
  std::size_t first = 0;
  for (std::size_t flat = 0; flat < expected.size(); ++flat) {
    if (near(tensor::element(view, flat), expected[flat])) {
      continue;
    }
    ++far;
    if (guard.untouched(place, flat)) {
      first = count == 0 ? flat : first;
      ++count;
    }
  }
  if (count == 0 || 2 * count < far) {
    return std::nullopt;
  }
  task::Finding finding;
  finding.kind = "unwritten";
  finding.tensor = place.name;
  finding.index = tensor::unravel(first, place.shape);
  finding.expected = expected[first];
  finding.got = tensor::element(view, first);
  finding.message = fmt::format(
      "{}{} was never written ({} of {} elements were left as they were): write every element of every output, "
      "and add to none, for they hold random words before a call",
      place.name, tensor::to_string(*finding.index), count, expected.size());
  return finding;
}

task::Finding mismatch_finding(const Place& place, const tensor::Mismatch& mismatch) {
  task::Finding finding;
  finding.kind = "mismatch";
  finding.tensor = place.name;
  finding.index = mismatch.index;
  finding.expected = mismatch.expected;
  finding.got = mismatch.got;
  finding.message = mismatch.reason;
  return finding;
}

}  // namespace

std::vector<task::Finding> check_outputs(const operators::Operator& op, const task::AxisValues& axes,
                                         std::span<const operators::ConstArgument> inputs, const Layout& layout,
                                         std::span<const std::byte> memory, const OutputGuard& guard,
                                         std::span<const operators::ExpectedValues> expected) {
  ASSAY_CHECK(expected.size() >= layout.outputs.size());
  std::vector<task::Finding> findings;
  for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
    const Place& place = layout.outputs[i];
    const tensor::ConstView view = output_view(place, memory);
    const std::optional<tensor::Mismatch> mismatch = op.compare(axes, inputs, i, view, expected);
    if (!mismatch) {
      continue;
    }
    if (std::optional<task::Finding> unwritten = find_unwritten(place, view, guard, expected[i])) {
      findings.push_back(std::move(*unwritten));
      continue;
    }
    task::Finding finding = mismatch_finding(place, *mismatch);
    if (tensor::is_floating(place.dtype)) {
      tensor::ErrorMap map = tensor::map_errors(place.shape, tensor::wrong_elements(view, expected[i], op.rule(i)));
      if (map.wrong > 1) {
        finding.message += "; " + map.sentence;
        finding.picture = std::move(map.picture);
      }
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<task::Finding> check_officially(const operators::Operator& op, const task::AxisValues& axes,
                                            std::span<const operators::ConstArgument> inputs, const Layout& layout,
                                            std::span<const std::byte> memory,
                                            std::span<const operators::ExpectedValues> expected) {
  std::vector<task::Finding> findings;
  for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
    const Place& place = layout.outputs[i];
    if (const auto mismatch = op.official_compare(axes, inputs, i, output_view(place, memory), expected)) {
      findings.push_back(mismatch_finding(place, *mismatch));
    }
  }
  return findings;
}

std::optional<tensor::LargestErrors> largest_errors(const Layout& layout, std::span<const std::byte> memory,
                                                    std::span<const operators::ExpectedValues> expected) {
  ASSAY_CHECK(expected.size() >= layout.outputs.size());
  std::optional<tensor::LargestErrors> largest;
  for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
    if (tensor::is_floating(layout.outputs[i].dtype)) {
      largest = largest.value_or(tensor::LargestErrors{});
      largest->add(tensor::largest_errors(output_view(layout.outputs[i], memory), expected[i]));
    }
  }
  return largest;
}

}  // namespace assay::verify
