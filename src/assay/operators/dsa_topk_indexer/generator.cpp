#include <assay/operators/dsa_topk_indexer/generator.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/perturbation.hpp>
#include <assay/operators/dsa_topk_indexer/stress.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

constexpr std::size_t kPoolTokens = 2048;

std::byte to_float8(float value) { return static_cast<std::byte>(tensor::to_float8_e4m3fn(value)); }

std::span<std::byte> page_of(const Dimensions& dimensions, std::span<std::byte> cache, std::size_t page) {
  return cache.subspan(page * dimensions.page_bytes(), dimensions.page_bytes());
}

}  // namespace

Pool::Pool(const Dimensions& dimensions, std::uint64_t seed) : dimensions_(dimensions) {
  ASSAY_CHECK(dimensions.page_size <= kPoolTokens && dimensions.heads <= kPoolTokens);
  base::Philox random(seed, base::stream_id("dsa_topk_indexer.pool"));
  const std::size_t elements = kPoolTokens * dimensions.head_size;
  keys_.reserve(elements);
  queries_.reserve(elements);
  std::vector<float> key(dimensions.head_size);
  for (std::size_t token = 0; token < kPoolTokens; ++token) {
    float largest = 1e-4F;
    for (float& element : key) {
      element = tensor::from_bfloat16(tensor::to_bfloat16(static_cast<float>(random.next_normal())));
      largest = std::max(largest, std::fabs(element));
    }
    const float scale = largest / kLargestFloat8;
    scales_.push_back(scale);
    for (const float element : key) {
      keys_.push_back(to_float8(element * (1.0F / scale)));
    }
  }
  while (queries_.size() < elements) {
    queries_.push_back(to_float8(std::clamp(static_cast<float>(random.next_normal()), -2.0F, 2.0F)));
  }
  key_pool_ = device::pool_of(keys_);
  scale_pool_ = device::pool_of(scales_);
  query_pool_ = device::pool_of(queries_);
}

void Pool::compose_page(base::Philox& random, std::span<std::byte> page, device::CopyPlan& plan) const {
  const std::size_t page_size = dimensions_.page_size;
  const std::size_t head_size = dimensions_.head_size;
  const std::size_t first = random.next_below(kPoolTokens - page_size + 1);
  std::vector<std::byte> signs(head_size);
  std::uint64_t bits = 0;
  for (std::size_t d = 0; d < head_size; ++d) {
    bits = d % 64 == 0 ? random.next_u64() : bits >> 1U;
    signs[d] = static_cast<std::byte>((bits & 1U) << 7U);
  }
  plan.flip(page.first(page_size * head_size), key_pool_, first * head_size, signs);
  plan.copy(page.subspan(page_size * head_size, page_size * sizeof(float)), scale_pool_, first * sizeof(float));
}

void Pool::compose_query(base::Philox& random, std::span<std::byte> query, device::CopyPlan& plan) const {
  plan.copy(query, query_pool_, random.next_below(queries_.size() - query.size() + 1));
}

Generator::Generator(const Dimensions& dimensions, std::uint64_t seed)
    : dimensions_(dimensions), seed_(seed), pool_(dimensions, seed) {}

void Generator::compose_officially(base::Philox& random, std::span<const std::int32_t> lengths,
                                   const Placement& placement, std::span<Argument> arguments,
                                   device::CopyPlan& plan) const {
  ASSAY_CHECK(arguments.size() == kInputCount);
  std::memcpy(bytes_of(arguments, kSeqLens).data(), lengths.data(), lengths.size_bytes());
  const auto table = std::as_bytes(std::span(placement.table));
  std::memcpy(bytes_of(arguments, kBlockTable).data(), table.data(), table.size());
  const std::span<std::byte> cache = bytes_of(arguments, kCache);
  plan.leave(cache);
  for (const std::int32_t page : placement.pages) {
    pool_.compose_page(random, page_of(dimensions_, cache, static_cast<std::size_t>(page)), plan);
  }
  const std::span<std::byte> query = bytes_of(arguments, kQuery);
  const std::span<std::byte> weights = bytes_of(arguments, kWeights);
  plan.leave(query);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    pool_.compose_query(random, query.subspan(row * dimensions_.query_bytes(), dimensions_.query_bytes()), plan);
    for (std::size_t head = 0; head < dimensions_.heads; ++head) {
      store(weights, row * dimensions_.heads + head, static_cast<float>(random.next_normal()));
    }
  }
}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose(workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
                        device::CopyPlan& plan) {
  const std::vector<std::int32_t> lengths = row_lengths(dimensions_, workload);
  const Placement placement = place_rows(dimensions_, workload, lengths, seed_, call);
  base::Philox random(
      seed_, base::mix(base::mix(base::stream_id("dsa_topk_indexer.call"), base::stream_id(workload.uuid)), call));
  compose_officially(random, lengths, placement, arguments, plan);
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("dsa_topk_indexer.perturb"), which), call));
  const std::span<std::byte> cache = bytes_of(arguments, kCache);
  const auto fill_page = [&](std::size_t page) {
    device::CopyPlan plan;
    pool_.compose_page(random, page_of(dimensions_, cache, page), plan);
    plan.settle();
  };
  perturb_arguments(dimensions_, which, random, fill_page, arguments);
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose_stress(kind, workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                               std::span<Argument> arguments, device::CopyPlan& plan) {
  ASSAY_CHECK(kind < kStressKinds.size());
  const auto stress = static_cast<Stress>(kind);
  const std::vector<std::int32_t> lengths = row_lengths(dimensions_, workload);
  base::Philox random(
      seed_, base::mix(base::mix(base::stream_id("dsa_topk_indexer.stress"), base::stream_id(workload.uuid)), call));
  const Placement placement = stress == Stress::repeated_pages
                                  ? share_pages(dimensions_, workload, lengths, random)
                                  : place_rows(dimensions_, workload, lengths, seed_, call);
  compose_officially(random, lengths, placement, arguments, plan);
  plan.settle();  // What is crafted is made of what lies there.
  craft_contents(dimensions_, stress, random, arguments);
}

}  // namespace assay::operators::dsa_topk_indexer
