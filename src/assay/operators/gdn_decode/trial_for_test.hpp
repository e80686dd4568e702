#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/operators/gdn_decode/operator.hpp>

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

/// Test only: owns the inputs and outputs of one call, as aligned memory of their types. At least 64 bytes of
/// zeros lie behind each tensor.
class Trial {
 public:
  explicit Trial(std::int64_t batch_size) : batch_size_(batch_size) {
    using enum tensor::DType;
    const std::int64_t b = batch_size;
    add("q", bfloat16, {b, 1, 4, 128});
    add("k", bfloat16, {b, 1, 4, 128});
    add("v", bfloat16, {b, 1, 8, 128});
    add("state", float32, {b, 8, 128, 128});
    add("A_log", float32, {8});
    add("a", bfloat16, {b, 1, 8});
    add("dt_bias", float32, {8});
    add("b", bfloat16, {b, 1, 8});
    arguments_.emplace_back(Scalar(0.0));
    outputs_[kOutput] = allocate("output", bfloat16, {b, 1, 8, 128});
    outputs_[kNewState] = allocate("new_state", float32, {b, 8, 128, 128});
    poison();
  }

  [[nodiscard]] std::int64_t batch_size() const { return batch_size_; }
  [[nodiscard]] std::size_t heads() const { return static_cast<std::size_t>(batch_size_) * kValueHeads; }
  [[nodiscard]] std::span<Argument> arguments() { return arguments_; }

  [[nodiscard]] tensor::View& input(std::size_t position) { return std::get<tensor::View>(arguments_[position]); }
  [[nodiscard]] tensor::View& output(std::size_t position) { return outputs_[position]; }

  /// Refers to a tensor's elements as what they are stored as.
  template <class T>
  [[nodiscard]] static std::span<T> elements(const tensor::View& view) {
    return {static_cast<T*>(static_cast<void*>(view.bytes.data())), view.bytes.size() / sizeof(T)};
  }
  [[nodiscard]] std::span<float> float32(std::size_t position) { return elements<float>(input(position)); }
  [[nodiscard]] std::span<std::uint16_t> bfloat16(std::size_t position) {
    return elements<std::uint16_t>(input(position));
  }
  [[nodiscard]] std::span<std::uint16_t> result() { return elements<std::uint16_t>(outputs_[kOutput]); }
  [[nodiscard]] std::span<float> new_state() { return elements<float>(outputs_[kNewState]); }
  [[nodiscard]] double scale() const { return std::get<double>(std::get<Scalar>(arguments_[kScale])); }
  void set_scale(Scalar scale) { arguments_[kScale] = scale; }

  /// Fills both outputs with NaN.
  void poison() {
    for (const tensor::View& view : outputs_) {
      std::memset(view.bytes.data(), 0xff, view.bytes.size());
    }
  }

  [[nodiscard]] std::vector<ConstArgument> const_arguments() const {
    std::vector<ConstArgument> result;
    for (const Argument& argument : arguments_) {
      if (const auto* view = std::get_if<tensor::View>(&argument)) {
        result.emplace_back(tensor::as_const(*view));
      } else {
        result.emplace_back(std::get<Scalar>(argument));
      }
    }
    return result;
  }

  [[nodiscard]] std::vector<std::vector<double>> reference() const {
    std::vector<ExpectedValues> outputs;
    ASSAY_CHECK(instance().reference({{"batch_size", batch_size_}}, const_arguments(), outputs).has_value());
    std::vector<std::vector<double>> plain;
    for (const ExpectedValues& output : outputs) {
      plain.emplace_back(output.begin(), output.end());
    }
    return plain;
  }

  /// Holds the outputs against the reference by the operator's rules; the reason of the first mismatch, or
  /// "".
  [[nodiscard]] std::string judge(const std::vector<std::vector<double>>& expected) const {
    for (std::size_t i = 0; i < kOutputCount; ++i) {
      if (auto mismatch = tensor::compare(tensor::as_const(outputs_[i]), expected[i], instance().rule(i))) {
        return mismatch->reason;
      }
    }
    return "";
  }

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };

  tensor::View allocate(std::string name, tensor::DType dtype, tensor::Shape shape) {
    const std::size_t size = tensor::byte_size(dtype, tensor::element_count(shape));
    memory_.push_back(std::make_unique<Line[]>((size + sizeof(Line) - 1) / sizeof(Line) + 1));
    return {std::move(name), dtype, std::move(shape), {memory_.back()[0].bytes.data(), size}};
  }
  void add(std::string name, tensor::DType dtype, tensor::Shape shape) {
    arguments_.emplace_back(allocate(std::move(name), dtype, std::move(shape)));
  }

  std::int64_t batch_size_;
  std::vector<std::unique_ptr<Line[]>> memory_;
  std::vector<Argument> arguments_;
  std::array<tensor::View, kOutputCount> outputs_;
};

}  // namespace assay::operators::gdn_decode
