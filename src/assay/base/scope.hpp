#pragma once

#include <utility>

namespace assay::base {

/// Runs a function when the scope ends, unless dismissed.
template <class Function>
class Defer {
 public:
  explicit Defer(Function function) : function_(std::move(function)) {}
  ~Defer() {
    if (armed_) {
      function_();
    }
  }
  Defer(const Defer&) = delete;
  Defer& operator=(const Defer&) = delete;
  void dismiss() { armed_ = false; }

 private:
  Function function_;
  bool armed_ = true;
};

}  // namespace assay::base
