// assay-corpus: kind=honest
// Type-erased and virtual calls, allocated anew each time.
#include "gdn_decode.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace {
class Step {
 public:
  virtual ~Step() = default;
  virtual void perform() const = 0;
};

class HeadStep final : public Step {
 public:
  explicit HeadStep(std::function<void()> work) : work_(std::move(work)) {}
  void perform() const override { work_(); }

 private:
  std::function<void()> work_;
};
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::vector<std::unique_ptr<Step>> steps;
  for (int64_t h = 0; h < p.heads; ++h) {
    steps.push_back(std::make_unique<HeadStep>([p, h] { gdn::compute_head(p, h); }));
  }
  for (const auto& step : steps) {
    step->perform();
  }
  return 0;
}
