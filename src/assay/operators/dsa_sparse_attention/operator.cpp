#include <assay/operators/dsa_sparse_attention/operator.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/dsa_sparse_attention/generator.hpp>
#include <assay/operators/dsa_sparse_attention/reference.hpp>
#include <assay/operators/dsa_sparse_attention/stress.hpp>
#include <assay/operators/workload_lengths.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

Interface make_interface(const Dimensions& dimensions) {
  using enum tensor::DType;
  const auto constant = [](std::size_t value) { return std::optional(static_cast<std::int64_t>(value)); };
  const std::vector<std::string> nope{"num_tokens", "num_qo_heads", "head_dim_ckv"};
  return {
      .name = std::string(dimensions.definition),
      .axes = {{"num_tokens", std::nullopt},
               {"num_qo_heads", constant(dimensions.heads)},
               {"head_dim_ckv", constant(dimensions.ckv)},
               {"head_dim_kpe", constant(dimensions.kpe)},
               {"page_size", constant(dimensions.page_size)},
               {"topk", constant(dimensions.topk)},
               {"num_pages", std::nullopt}},
      .inputs = {{"q_nope", {nope, bfloat16}},
                 {"q_pe", {{{"num_tokens", "num_qo_heads", "head_dim_kpe"}}, bfloat16}},
                 {"ckv_cache", {{{"num_pages", "page_size", "head_dim_ckv"}}, bfloat16}},
                 {"kpe_cache", {{{"num_pages", "page_size", "head_dim_kpe"}}, bfloat16}},
                 {"sparse_indices", {{{"num_tokens", "topk"}}, int32}},
                 {"sm_scale", {std::nullopt, float32}}},
      .outputs = {{"output", {nope, bfloat16}}, {"lse", {{{"num_tokens", "num_qo_heads"}}, float32}}},
  };
}

class DsaSparseAttention final : public Operator {
 public:
  explicit DsaSparseAttention(const Dimensions& dimensions)
      : dimensions_(dimensions), interface_(make_interface(dimensions)) {}

  [[nodiscard]] const Interface& interface() const override { return interface_; }

  [[nodiscard]] base::Result<void> check_workload(const task::Workload& workload) const override {
    ASSAY_TRY(check_token_ids(workload, "num_pages", dimensions_.page_size));
    return check_lengths(workload, {.count_axis = "num_tokens", .most = dimensions_.topk, .most_is = "topk"});
  }

  [[nodiscard]] base::Result<void> check_given(const task::Workload& workload,
                                               const task::Named<tensor::ConstView>& inputs) const override {
    const tensor::ConstView* indices = task::find(inputs, "sparse_indices");
    const std::int64_t tokens =
        *task::find(workload.axes, "num_pages") * static_cast<std::int64_t>(dimensions_.page_size);
    for (std::size_t i = 0; indices != nullptr && i < indices->bytes.size() / sizeof(std::int32_t); ++i) {
      const auto id = load<std::int32_t>(indices->bytes, i);
      if (id < kNoToken || id >= tokens) {
        return base::input_error(
            "given.contents", fmt::format("sparse_indices[{}, {}] is {}, and must be -1 or the id of a token below {}",
                                          i / dimensions_.topk, i % dimensions_.topk, id, tokens));
      }
    }
    return {};
  }

  [[nodiscard]] std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const override {
    return std::make_unique<Generator>(dimensions_, seed);
  }

  [[nodiscard]] std::span<const StressKind> stress_kinds() const override { return kStressKinds; }

  [[nodiscard]] StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                         std::uint64_t largest_bytes) const override {
    return make_stress_trial(dimensions_, seed, index, largest_bytes);
  }

  [[nodiscard]] base::Result<void> reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                             std::vector<ExpectedValues>& outputs) const override {
    return compute_reference(dimensions_, axes, inputs, outputs);
  }

  [[nodiscard]] Work least_work(const task::AxisValues& axes, std::span<const ConstArgument> inputs) const override {
    const auto rows = static_cast<std::size_t>(*task::find(axes, "num_tokens"));
    const auto pages = static_cast<std::size_t>(*task::find(axes, "num_pages"));
    auto indices = read_indices(dimensions_, inputs, rows, pages * dimensions_.page_size).value();
    std::erase(indices, kNoToken);
    const auto named = static_cast<double>(indices.size());
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    // Keys are read once, whoever names them; queries and indices are read, output and lse written. For each slot and
    // head a product with the key and one with the value.
    const auto heads = static_cast<double>(rows * dimensions_.heads);
    const auto ckv = static_cast<double>(dimensions_.ckv);
    const auto kpe = static_cast<double>(dimensions_.kpe);
    return {.bytes = static_cast<double>(indices.size()) * 2 * (ckv + kpe) + heads * (2 * (2 * ckv + kpe) + 4) +
                     static_cast<double>(rows * dimensions_.topk) * sizeof(std::int32_t),
            .operations = named * static_cast<double>(dimensions_.heads) * 2 * (2 * ckv + kpe)};
  }

  // docs/operators/dsa_sparse_attention.md has the measured errors that these numbers stand on. The norm is taken over
  // each (row, head) of the output. A logarithm may be near 0 by chance, so lse has no norm of its own.
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output < kOutputCount);
    if (output == kOutput) {
      return {.relative = 0x1p-7,
              .absolute_of_rms = 0x1p-5,
              .norm = 0x1p-7,
              .norm_axes = 2,
              .error_ratio = 1.5,
              .working = 0x1p-8,
              .usual_part = 0.75};
    }
    return {.relative = 4e-6,
            .absolute_of_rms = 4e-5,
            .norm = std::numeric_limits<double>::infinity(),
            .norm_axes = 0,
            .error_ratio = 3,
            .working = 1e-6,
            .usual_part = 0.75};
  }

 private:
  const Dimensions& dimensions_;
  Interface interface_;
};

}  // namespace

const Operator& contest_instance() {
  static const DsaSparseAttention operator_instance(kContest);
  return operator_instance;
}

const Operator& small_instance() {
  static const DsaSparseAttention operator_instance(kSmall);
  return operator_instance;
}

std::span<const Operator* const> instances() {
  static const std::array<const Operator*, 2> kAll = {&contest_instance(), &small_instance()};
  return kAll;
}

}  // namespace assay::operators::dsa_sparse_attention
