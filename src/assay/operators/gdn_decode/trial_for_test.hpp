#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/operators/gdn_decode/operator.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::gdn_decode {

inline constexpr double kUsualScale = 0.08838834764831843;

/// Test only: returns a workload of the definition as the dataset has them.
inline task::Workload make_workload(std::int64_t batch_size, std::string uuid,
                                    task::InputSpec scale = task::ScalarInput{kUsualScale}) {
  task::Workload workload;
  workload.uuid = std::move(uuid);
  workload.axes = {{"batch_size", batch_size}};
  workload.inputs = {{"scale", std::move(scale)}};
  return workload;
}

/// Test only: one call (operators/trial_for_test.hpp), with its tensors by their names.
class Trial : public OperatorTrial {
 public:
  explicit Trial(std::int64_t batch_size)
      : OperatorTrial(instance(), make_workload(batch_size, "trial")), batch_size_(batch_size) {}

  [[nodiscard]] std::int64_t batch_size() const { return batch_size_; }
  [[nodiscard]] std::size_t heads() const { return static_cast<std::size_t>(batch_size_) * kValueHeads; }

  [[nodiscard]] std::span<float> float32(std::size_t position) { return in<float>(position); }
  [[nodiscard]] std::span<std::uint16_t> bfloat16(std::size_t position) { return in<std::uint16_t>(position); }
  [[nodiscard]] std::span<std::uint16_t> result() { return out<std::uint16_t>(kOutput); }
  [[nodiscard]] std::span<float> new_state() { return out<float>(kNewState); }
  [[nodiscard]] double scale() const { return scalar(kScale); }
  void set_scale(Scalar scale) { arguments()[kScale] = scale; }

  /// As plain vectors, which tests can change and do arithmetic on.
  [[nodiscard]] std::vector<std::vector<double>> reference() const {
    std::vector<std::vector<double>> plain;
    for (const ExpectedValues& output : OperatorTrial::reference()) {
      plain.emplace_back(output.begin(), output.end());
    }
    return plain;
  }

  [[nodiscard]] std::string judge(const std::vector<std::vector<double>>& expected) const {
    std::vector<ExpectedValues> values;
    for (const std::vector<double>& output : expected) {
      values.emplace_back(output.begin(), output.end());
    }
    return OperatorTrial::judge(values);
  }

 private:
  std::int64_t batch_size_;
};

}  // namespace assay::operators::gdn_decode
