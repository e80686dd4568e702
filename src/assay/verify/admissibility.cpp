#include <assay/verify/admissibility.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include <assay/operators/arguments.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/tensor/rounding.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/verify/given_contents.hpp>
#include <assay/verify/sampled_content.hpp>

namespace assay::verify {

namespace {

using operators::ConstArgument;
using operators::ExpectedValues;
using operators::read_only;

constexpr double kManyOperations = 2e10;
constexpr double kManyBytes = 5e8;

// Everything about one workload that the calls share.
class Proof {
 public:
  Proof(const operators::Operator& op, const task::Definition& definition, task::Admissibility& result,
        std::uint64_t seed)
      : op_(op),
        definition_(definition),
        result_(result),
        random_(seed, base::stream_id("admissibility")),
        seed_(seed) {}

  base::Result<void> run(operators::InputGenerator& generator, GivenContents& given,
                         std::span<const task::Workload> workloads, std::size_t index, int calls) {
    const task::Workload& workload = workloads[index];
    fill_ = [&generator, &given, index](std::uint64_t call, std::span<operators::Argument> arguments) {
      return given.fill(generator, index, call,
                        call == 0 ? operators::Variation::none : operators::Variation::symmetric, arguments);
    };
    ASSAY_TRY_ASSIGN(axes_, task::resolve_axes(definition_, workload.axes));
    ASSAY_TRY_ASSIGN(layout_, make_layout(definition_, workload));
    ASSAY_TRY_ASSIGN(memory_, os::SharedMemory::create("inputs", layout_.inputs_size, os::PeerAccess::read_write));
    ASSAY_TRY_ASSIGN(arguments_, input_arguments(definition_, workload, layout_, memory_.bytes()));
    ASSAY_TRY(compute(0, stale_));
    for (int call = 1; call <= calls; ++call) {
      ASSAY_TRY(compute(static_cast<std::uint64_t>(call), expected_));
      for (std::size_t output = 0; output < layout_.outputs.size(); ++output) {
        try_output(output);
      }
      ASSAY_TRY(perturb(generator, call, calls));
      std::swap(stale_, expected_);
    }
    return {};
  }

 private:
  base::Result<void> compute(std::uint64_t call, std::vector<ExpectedValues>& outputs) {
    ASSAY_TRY(fill_(call, arguments_));
    return op_.reference(axes_, read_only(arguments_), outputs);
  }

  // A tensor with room for one output, in the layout's order.
  tensor::View scratch(std::size_t output, std::vector<std::byte>& bytes) const {
    const Place& place = layout_.outputs[output];
    bytes.resize(place.bytes);
    return {place.name, place.dtype, place.shape, bytes};
  }

  bool rejects(std::size_t output, const tensor::View& view, const std::vector<ExpectedValues>& expected) const {
    return op_.compare(axes_, read_only(arguments_), output, tensor::as_const(view), expected).has_value();
  }

  void try_output(std::size_t output) {
    std::vector<std::byte> honest_bytes;
    std::vector<std::byte> bytes;
    const tensor::View honest = scratch(output, honest_bytes);
    const tensor::View view = scratch(output, bytes);
    tensor::write_rounded(honest, expected_[output]);
    ++result_.honest_trials;
    const std::vector<ConstArgument> inputs = read_only(arguments_);
    if (const auto mismatch = op_.compare(axes_, inputs, output, tensor::as_const(honest), expected_)) {
      if (result_.honest_reason.empty()) {
        result_.honest_reason = mismatch->reason;
      }
    } else {
      ++result_.honest_passed;
    }
    for (const Impostor impostor : all_impostors()) {
      if (!make_impostor(impostor, {expected_[output], stale_[output], inputs, op_.working_bits(output)}, view,
                         random_) ||
          bytes == honest_bytes) {
        continue;
      }
      task::ImpostorResult& row = row_of(layout_.outputs[output].name, impostor);
      ++row.trials;
      row.rejected += rejects(output, view, expected_) ? 1 : 0;
      row.officially_rejected +=
          op_.official_compare(axes_, inputs, output, tensor::as_const(view), expected_).has_value() ? 1 : 0;
    }
  }

  task::ImpostorResult& row_of(const std::string& output, Impostor impostor) {
    const auto found = std::find_if(
        result_.impostors.begin(), result_.impostors.end(),
        [&](const task::ImpostorResult& row) { return row.output == output && row.impostor == to_string(impostor); });
    if (found != result_.impostors.end()) {
      return *found;
    }
    return result_.impostors.emplace_back(task::ImpostorResult{output, std::string(to_string(impostor)), 0, 0, 0});
  }

  static std::optional<std::size_t> first_difference(const std::vector<std::uint64_t>& before,
                                                     const std::vector<std::uint64_t>& after) {
    const auto place = std::mismatch(before.begin(), before.end(), after.begin()).first;
    return place == before.end() ? std::nullopt : std::optional(static_cast<std::size_t>(place - before.begin()));
  }

  // What was right before the change must be wrong after it, in some output. All inputs in turn; which one a number
  // stands for is the generator's secret, so it is found by looking at what changed.
  base::Result<void> perturb(operators::InputGenerator& generator, int call, int calls) {
    const auto contents = static_cast<std::uint64_t>(call);
    std::vector<std::vector<std::byte>> right(layout_.outputs.size());
    for (std::size_t output = 0; output < layout_.outputs.size(); ++output) {
      tensor::write_rounded(scratch(output, right[output]), expected_[output]);
    }
    std::vector<ExpectedValues> moved;
    // Where a reference takes seconds each input has its turn in one of the calls, otherwise in all.
    const operators::Work work = op_.least_work(axes_, read_only(arguments_));
    const bool in_turn = work.operations > kManyOperations || work.bytes > kManyBytes;
    std::vector<bool> tried(arguments_.size());
    for (std::uint64_t which = 0; which < generator.perturbation_period(); ++which) {
      ASSAY_TRY(fill_(contents, arguments_));
      const std::vector<std::uint64_t> before = digests();
      generator.perturb(which + seed_, contents, arguments_);
      const std::vector<std::uint64_t> after = digests();
      const std::optional<std::size_t> changed = first_difference(before, after);
      if (!changed || tried[*changed] || (in_turn && *changed % static_cast<std::size_t>(calls) != contents - 1)) {
        continue;
      }
      tried[*changed] = true;
      ASSAY_TRY(op_.reference(axes_, read_only(arguments_), moved));
      bool shows = false;
      for (std::size_t output = 0; output < layout_.outputs.size(); ++output) {
        const Place& place = layout_.outputs[output];
        shows = shows || rejects(output, {place.name, place.dtype, place.shape, right[output]}, moved);
      }
      for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (before[i] != after[i]) {
          ++result_.inputs[i].trials;
          result_.inputs[i].seen += shows ? 1 : 0;
        }
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<std::uint64_t> digests() const {
    std::vector<std::uint64_t> result;
    for (const operators::Argument& argument : arguments_) {
      if (const auto* view = std::get_if<tensor::View>(&argument)) {
        result.push_back(digest_of(view->bytes));
      } else {
        const double value =
            std::visit([](auto number) { return static_cast<double>(number); }, std::get<operators::Scalar>(argument));
        result.push_back(__builtin_bit_cast(std::uint64_t, value));
      }
    }
    return result;
  }

  // Of what has pages: a cache of which a call reads a few would be given all of them by a look at it.
  [[nodiscard]] std::uint64_t digest_of(std::span<const std::byte> bytes) const {
    std::uint64_t digest = 0;
    for (const std::span<const std::byte> part : memory_.present(layout_.inputs_size)) {
      const std::byte* first = std::max(part.data(), bytes.data());
      const std::byte* last = std::min(part.data() + part.size(), bytes.data() + bytes.size());
      if (first < last) {
        digest = base::mix(digest, content_digest({first, last}));
      }
    }
    return digest;
  }

  const operators::Operator& op_;
  const task::Definition& definition_;
  task::Admissibility& result_;
  base::Philox random_;
  std::uint64_t seed_;
  task::AxisValues axes_;
  Layout layout_;
  os::SharedMemory memory_;
  std::vector<operators::Argument> arguments_;
  std::function<base::Result<void>(std::uint64_t, std::span<operators::Argument>)> fill_;
  std::vector<ExpectedValues> expected_;
  std::vector<ExpectedValues> stale_;
};

}  // namespace

base::Result<task::Admissibility> check_admissibility(const operators::Operator& op, const task::Definition& definition,
                                                      std::span<const task::Workload> workloads, std::uint64_t seed,
                                                      int calls, const std::function<void(std::size_t)>& on_workload) {
  task::Admissibility result;
  result.definition = definition.name;
  result.seed = seed;
  for (const auto& input : definition.inputs) {
    result.inputs.push_back({input.first, 0, 0});
  }
  ASSAY_TRY_ASSIGN(GivenContents given, GivenContents::open(op, definition, workloads));
  const auto generator = op.make_generator(seed);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    if (on_workload) {
      on_workload(i);
    }
    Proof proof(op, definition, result, base::mix(seed, base::stream_id(workloads[i].uuid)));
    ASSAY_TRY(proof.run(*generator, given, workloads, i, calls));
  }
  return result;
}

}  // namespace assay::verify
