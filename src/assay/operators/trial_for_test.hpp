#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/operator.hpp>
#include <assay/tensor/shape.hpp>

namespace assay::operators {

/// Test only: owns the inputs and outputs of one call of any operator, as aligned memory of their types; at least 64
/// bytes of zeros lie behind each tensor. Memory that nobody writes is never materialised.
class OperatorTrial {
 public:
  OperatorTrial(const Operator& op, const task::Workload& workload) : op_(&op) {
    for (const auto& [name, value] : op.interface().axes) {
      axes_.emplace_back(name, value ? *value : *task::find(workload.axes, name));
    }
    for (const auto& [name, argument] : op.interface().inputs) {
      if (argument.shape) {
        arguments_.emplace_back(allocate(name, argument));
      } else {
        arguments_.emplace_back(Scalar(0.0));
      }
    }
    for (const auto& [name, argument] : op.interface().outputs) {
      outputs_.push_back(allocate(name, argument));
    }
    poison();
  }

  [[nodiscard]] const task::AxisValues& axes() const { return axes_; }
  [[nodiscard]] std::size_t axis(std::string_view name) const {
    return static_cast<std::size_t>(*task::find(axes_, name));
  }
  [[nodiscard]] std::span<Argument> arguments() { return arguments_; }
  [[nodiscard]] tensor::View& input(std::size_t position) { return std::get<tensor::View>(arguments_[position]); }
  [[nodiscard]] tensor::View& output(std::size_t position) { return outputs_[position]; }
  [[nodiscard]] std::size_t output_count() const { return outputs_.size(); }
  [[nodiscard]] double scalar(std::size_t position) const {
    return std::visit([](auto value) { return static_cast<double>(value); }, std::get<Scalar>(arguments_[position]));
  }

  /// Refers to a tensor's elements as what they are stored as.
  template <class T>
  [[nodiscard]] static std::span<T> elements(const tensor::View& view) {
    return {static_cast<T*>(static_cast<void*>(view.bytes.data())), view.bytes.size() / sizeof(T)};
  }
  template <class T>
  [[nodiscard]] std::span<T> in(std::size_t position) {
    return elements<T>(input(position));
  }
  template <class T>
  [[nodiscard]] std::span<T> out(std::size_t position) {
    return elements<T>(outputs_[position]);
  }

  /// Fills the outputs with NaN.
  void poison() {
    for (const tensor::View& view : outputs_) {
      if (!view.bytes.empty()) {
        std::memset(view.bytes.data(), 0xff, view.bytes.size());
      }
    }
  }

  [[nodiscard]] std::vector<ConstArgument> const_arguments() const { return read_only(arguments_); }

  [[nodiscard]] std::vector<ExpectedValues> reference() const {
    std::vector<ExpectedValues> outputs;
    const auto done = op_->reference(axes_, const_arguments(), outputs);
    if (!done) {
      base::check_failed(done.error().message.c_str(), __FILE__, __LINE__);
    }
    return outputs;
  }

  /// Holds the outputs against the reference by the operator's rules; the reason of the first mismatch, or "".
  [[nodiscard]] std::string judge(const std::vector<ExpectedValues>& expected) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (auto mismatch = op_->compare(axes_, const_arguments(), i, tensor::as_const(outputs_[i]), expected)) {
        return mismatch->reason;
      }
    }
    return "";
  }
  /// The same by the contest's own rules.
  [[nodiscard]] std::string judge_officially(const std::vector<ExpectedValues>& expected) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (auto mismatch = op_->official_compare(axes_, const_arguments(), i, tensor::as_const(outputs_[i]), expected)) {
        return mismatch->reason;
      }
    }
    return "";
  }

 private:
  static constexpr std::size_t kAlignment = 64;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  tensor::View allocate(const std::string& name, const Interface::Argument& argument) {
    tensor::Shape shape;
    for (const std::string& axis_name : *argument.shape) {
      shape.push_back(*task::find(axes_, axis_name));
    }
    const std::size_t size = tensor::byte_size(argument.dtype, tensor::element_count(shape));
    std::size_t room = size + 3 * kAlignment;
    memory_.emplace_back(std::calloc(room, 1));
    void* aligned = memory_.back().get();
    if (aligned == nullptr || std::align(kAlignment, size + kAlignment, aligned, room) == nullptr) {
      base::check_failed("memory for a trial", __FILE__, __LINE__);
    }
    return {name, argument.dtype, std::move(shape), {static_cast<std::byte*>(aligned), size}};
  }

  const Operator* op_;
  task::AxisValues axes_;
  std::vector<std::unique_ptr<void, Free>> memory_;
  std::vector<Argument> arguments_;
  std::vector<tensor::View> outputs_;
};

}  // namespace assay::operators
