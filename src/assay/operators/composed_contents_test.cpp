// What a generator leaves to a plan is, once it is done, what it would have written itself: on the host, and on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/device/device.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/operator.hpp>
#include <assay/tensor/shape.hpp>

namespace assay::operators {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;  // Of a call that is tried: not the large experts.
constexpr std::uint64_t kPerturbedTrial = 2;  // Of every operator one that has tokens, and rows to choose from.
constexpr std::size_t kBegin = 4096;
constexpr std::size_t kGap = 192;

using Memory = std::unique_ptr<device::CallMemory>;

/// The arguments of a workload in a memory: tensors with gaps between them.
class LaidOut {
 public:
  LaidOut(const Operator& op, const task::Workload& workload) : op_(&op), workload_(workload) {
    std::size_t end = kBegin;
    for (const auto& [name, argument] : op.interface().inputs) {
      if (argument.shape) {
        const tensor::Shape shape = shape_of(*argument.shape);
        const std::size_t bytes = tensor::byte_size(argument.dtype, tensor::element_count(shape));
        end = (end + kGap + bytes + 63) / 64 * 64;
      }
    }
    size_ = end + kGap;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] std::vector<Argument> arguments(std::span<std::byte> memory) const {
    std::vector<Argument> all;
    std::size_t end = kBegin;
    for (const auto& [name, argument] : op_->interface().inputs) {
      if (!argument.shape) {
        all.emplace_back(Scalar(0.0));
        continue;
      }
      const tensor::Shape shape = shape_of(*argument.shape);
      const std::size_t bytes = tensor::byte_size(argument.dtype, tensor::element_count(shape));
      const std::size_t begin = (end + 63) / 64 * 64;
      all.emplace_back(tensor::View{name, argument.dtype, shape, memory.subspan(begin, bytes)});
      end = (end + kGap + bytes + 63) / 64 * 64;
    }
    return all;
  }

 private:
  [[nodiscard]] tensor::Shape shape_of(const std::vector<std::string>& names) const {
    tensor::Shape shape;
    for (const std::string& name : names) {
      const auto* constant = task::find(op_->interface().axes, name);
      const auto* variable = task::find(workload_.axes, name);
      shape.push_back(constant != nullptr && *constant ? **constant : variable != nullptr ? *variable : 0);
    }
    return shape;
  }

  const Operator* op_;
  task::Workload workload_;
  std::size_t size_ = 0;
};

/// One way to fill: official contents of a call, those of a kind of stress, or official ones with one element changed.
struct Way {
  std::string name;
  std::function<void(InputGenerator&, std::span<Argument>)> directly;
  std::function<void(InputGenerator&, std::span<Argument>, device::CopyPlan&)> composed;
};

std::vector<Way> ways(const StressTrial& trial) {
  std::vector<Way> all;
  const task::Workload& workload = trial.workload;
  for (std::uint64_t call = 0; call < 9; ++call) {
    all.push_back({"call " + std::to_string(call),
                   [=](InputGenerator& generator, std::span<Argument> to) { generator.fill(workload, call, to); },
                   [=](InputGenerator& generator, std::span<Argument> to, device::CopyPlan& plan) {
                     generator.compose(workload, call, to, plan);
                   }});
  }
  all.push_back(
      {"stress " + std::to_string(trial.kind),
       [=](InputGenerator& generator, std::span<Argument> to) { generator.fill_stress(trial.kind, workload, 1, to); },
       [=](InputGenerator& generator, std::span<Argument> to, device::CopyPlan& plan) {
         generator.compose_stress(trial.kind, workload, 1, to, plan);
       }});
  return all;
}

/// Calls that have something to change: a stress trial may have none.
std::vector<Way> perturbed_ways(const task::Workload& workload) {
  std::vector<Way> all;
  for (std::uint64_t which = 0; which < 11; ++which) {
    all.push_back({"perturbed " + std::to_string(which),
                   [=](InputGenerator& generator, std::span<Argument> to) {
                     generator.fill(workload, 3, to);
                     generator.perturb(which, 3, to);
                   },
                   [=](InputGenerator& generator, std::span<Argument> to, device::CopyPlan& plan) {
                     generator.compose(workload, 3, to, plan);
                     generator.perturb_composed(which, 3, to, plan);
                   }});
  }
  return all;
}

void expect_same_scalars(std::span<const Argument> got, std::span<const Argument> wanted, const std::string& what) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (const auto* scalar = std::get_if<Scalar>(&wanted[i])) {
      EXPECT_EQ(std::get<Scalar>(got[i]), *scalar) << what << ", argument " << i;
    }
  }
}

/// Calls `check(op, trial, way)` for all operators that are known by name, each kind of stress trial and each way.
template <class Check>
void for_all_ways(const Check& check) {
  for (const std::string_view name : operator_names()) {
    const Operator& op = *find_operator(name);
    for (std::uint64_t index = 0; index < op.stress_kinds().size(); ++index) {
      const StressTrial trial = op.stress_trial(kSeed, index, std::uint64_t{1} << 20U);
      if (LaidOut(op, trial.workload).size() > kMostBytes) {
        continue;
      }
      std::vector<Way> all = ways(trial);
      if (index == kPerturbedTrial) {
        const std::vector<Way> more = perturbed_ways(trial.workload);
        all.insert(all.end(), more.begin(), more.end());
      }
      check(op, trial, all, std::string(name) + ", trial " + std::to_string(index) + ", ");
    }
  }
}

Memory host_memory(std::size_t size) {
  return std::move(device::make_host_memory(size, os::PeerAccess::read_only).value());
}

TEST(ComposedContents, AreThoseThatAreWrittenDirectly) {
  std::map<std::string, std::size_t> left_bytes;
  for_all_ways([&](const Operator& op, const StressTrial& trial, const std::vector<Way>& all, const std::string& what) {
    const auto generator = op.make_generator(kSeed);
    const LaidOut laid_out(op, trial.workload);
    for (const Way& way : all) {
      const Memory direct = host_memory(laid_out.size());
      const Memory composed = host_memory(laid_out.size());
      std::vector<Argument> wanted = laid_out.arguments(direct->bytes());
      std::vector<Argument> got = laid_out.arguments(composed->bytes());
      way.directly(*generator, wanted);
      device::CopyPlan& plan = composed->plan();
      way.composed(*generator, got, plan);
      expect_same_scalars(got, wanted, what + way.name);
      base::Philox random(kSeed, 77);
      for (const std::span<std::byte> tensor : std::vector(plan.left())) {
        left_bytes[std::string(op.definition_name())] += tensor.size();
        // A glance anywhere sees what it shall be, whatever has been looked at before.
        for (int i = 0; i < 4 && !tensor.empty(); ++i) {
          const std::size_t at = random.next_below(tensor.size());
          const std::size_t size = std::min<std::size_t>(tensor.size() - at, 1 + random.next_below(500));
          plan.need(tensor.subspan(at, size));
          const auto offset = static_cast<std::size_t>(tensor.data() - composed->bytes().data()) + at;
          ASSERT_EQ(std::memcmp(direct->bytes().data() + offset, composed->bytes().data() + offset, size), 0)
              << what << way.name << " at " << offset;
        }
      }
      plan.settle();
      ASSERT_EQ(std::memcmp(direct->bytes().data(), composed->bytes().data(), laid_out.size()), 0) << what << way.name;
    }
  });
  EXPECT_EQ(left_bytes.size() + 1, operator_names().size())
      << "all but the experts that are too large to be tried here";
}

// Nothing of a large tensor is written on the host: that is what a plan is for.
TEST(ComposedContents, LeaveTheImageOfLargeTensorsAlone) {
  for (const std::string_view name : operator_names()) {
    const Operator& op = *find_operator(name);
    const StressTrial trial = op.stress_trial(kSeed, 0, std::uint64_t{1} << 20U);
    const LaidOut laid_out(op, trial.workload);
    const Memory memory = host_memory(laid_out.size());  // Large ones get pages where they are touched.
    std::vector<Argument> arguments = laid_out.arguments(memory->bytes());
    op.make_generator(kSeed)->compose(trial.workload, 2, arguments, memory->plan());
    ASSERT_FALSE(memory->plan().empty()) << name;
    std::size_t touched = 0;
    for (const std::span<std::byte> tensor : memory->plan().left()) {
      const std::span<std::byte> looked_at = tensor.first(std::min<std::size_t>(tensor.size(), 1U << 20U));
      touched += static_cast<std::size_t>(
          std::count_if(looked_at.begin(), looked_at.end(), [](std::byte byte) { return byte != std::byte{0}; }));
    }
    EXPECT_EQ(touched, 0U) << name;
  }
}

TEST(GpuComposedContents, AreThoseThatAreWrittenDirectly) {
  const auto device = device::open_device("cuda:0");
  if (!device) {
    GTEST_SKIP() << "contents are not made on a GPU here: " << device.error().message;
  }
  for_all_ways([&](const Operator& op, const StressTrial& trial, const std::vector<Way>& all, const std::string& what) {
    const auto generator = op.make_generator(kSeed);
    const LaidOut laid_out(op, trial.workload);
    for (const Way& way : all) {
      const Memory direct = host_memory(laid_out.size());
      auto made = (*device)->create_memory(laid_out.size(), os::PeerAccess::read_only);
      ASSERT_TRUE(made) << made.error().text();
      device::CallMemory& composed = **made;
      std::vector<Argument> wanted = laid_out.arguments(direct->bytes());
      std::vector<Argument> got = laid_out.arguments(composed.bytes());
      way.directly(*generator, wanted);
      way.composed(*generator, got, composed.plan());
      for (int time = 0; time < 2; ++time) {  // Again, as after a captured call.
        ASSERT_TRUE(composed.publish(laid_out.size()));
      }
      ASSERT_TRUE(composed.fetch(laid_out.size()));
      expect_same_scalars(got, wanted, what + way.name);
      ASSERT_EQ(std::memcmp(direct->bytes().data(), composed.bytes().data(), laid_out.size()), 0) << what << way.name;
    }
  });
}

// The next contents are made in the memory's other image while the device has still to see those of now.
TEST(GpuComposedContents, AreMadeAheadInTheOtherImage) {
  const auto device = device::open_device("cuda:0");
  if (!device) {
    GTEST_SKIP() << "contents are not made on a GPU here: " << device.error().message;
  }
  for (const std::string_view name : {"gdn_decode_qk4_v8_d128_k_last", "dsa_topk_indexer_fp8_h8_d32_topk64_ps16"}) {
    const Operator& op = *find_operator(name);
    const StressTrial trial = op.stress_trial(kSeed, 0, std::uint64_t{1} << 20U);
    const LaidOut laid_out(op, trial.workload);
    const auto generator = op.make_generator(kSeed);
    auto made = (*device)->create_memory(laid_out.size(), os::PeerAccess::read_only);
    ASSERT_TRUE(made) << made.error().text();
    device::CallMemory& memory = **made;
    const auto compose = [&](std::uint64_t call) {
      std::vector<Argument> arguments = laid_out.arguments(memory.bytes());
      memory.plan().clear();
      generator->compose(trial.workload, call, arguments, memory.plan());
    };
    compose(0);
    for (std::uint64_t call = 0; call < 6; ++call) {
      ASSERT_TRUE(memory.turn());
      compose(call + 1);
      ASSERT_TRUE(memory.turn());
      ASSERT_TRUE(memory.publish(laid_out.size()));
      std::vector<std::byte> wanted(laid_out.size());
      std::vector<Argument> arguments = laid_out.arguments(wanted);
      generator->fill(trial.workload, call, arguments);
      ASSERT_TRUE(memory.fetch(laid_out.size()));
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (const auto* view = std::get_if<tensor::View>(&arguments[i])) {
          const auto offset = static_cast<std::size_t>(view->bytes.data() - wanted.data());
          const std::span<const std::byte> got = memory.bytes().subspan(offset, view->bytes.size());
          // Pages that no row names hold what they held.
          if (view->name != "k_index_cache_fp8") {
            EXPECT_TRUE(std::equal(got.begin(), got.end(), view->bytes.begin())) << name << " " << call << view->name;
          }
        }
      }
      ASSERT_TRUE(memory.turn());
    }
  }
}

// Of a workload of the contest, whose weights take 1.4 GB: places all over it.
TEST(GpuComposedContents, LargeExpertsAreMadeOnTheDevice) {
  const auto device = device::open_device("cuda:0");
  if (!device) {
    GTEST_SKIP() << "contents are not made on a GPU here: " << device.error().message;
  }
  const Operator& op = *find_operator("moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048");
  const StressTrial trial = op.stress_trial(kSeed, 0, std::uint64_t{1} << 20U);
  const LaidOut laid_out(op, trial.workload);
  auto made = (*device)->create_memory(laid_out.size(), os::PeerAccess::read_only);
  ASSERT_TRUE(made) << made.error().text();
  device::CallMemory& memory = **made;
  std::vector<Argument> arguments = laid_out.arguments(memory.bytes());
  const auto generator = op.make_generator(kSeed);
  device::CopyPlan& plan = memory.plan();
  generator->compose(trial.workload, 1, arguments, plan);
  generator->perturb_composed(4, 1, arguments, plan);
  ASSERT_TRUE(memory.publish(laid_out.size()));
  const std::vector<device::CopyPlan::Piece> pieces = plan.pieces();
  ASSERT_TRUE(memory.fetch(laid_out.size()));
  std::vector<std::byte> got;
  base::Philox random(kSeed, 78);
  for (int i = 0; i < 500; ++i) {
    const device::CopyPlan::Piece& piece = pieces[random.next_below(pieces.size())];
    const std::span<std::byte> there(piece.to, piece.bytes);
    got.assign(there.begin(), there.end());
    std::fill(there.begin(), there.end(), std::byte{0x55});
    plan.need(there);
    ASSERT_TRUE(std::equal(got.begin(), got.end(), there.begin())) << i;
  }
}

}  // namespace
}  // namespace assay::operators
