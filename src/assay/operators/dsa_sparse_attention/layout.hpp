#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <assay/operators/arguments.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::dsa_sparse_attention {

/// Constant axes of one definition of this operator.
struct Dimensions {
  std::string_view definition;
  std::size_t heads = 0;      ///< Query heads; all of them attend to the same keys.
  std::size_t ckv = 0;        ///< Elements of the compressed key, which is also the value.
  std::size_t kpe = 0;        ///< Elements of the key's part that carries the position.
  std::size_t page_size = 0;  ///< Tokens of a page of the caches.
  std::size_t topk = 0;       ///< Slots of a row of sparse_indices.
  double sm_scale = 0;        ///< Factor of the logits where a workload gives none.
};

/// The contest's definition; its factor is 1 / sqrt(192) times (0.1 ln 40 + 1)^2.
inline constexpr Dimensions kContest = {
    "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64", 16, 512, 64, 64, 2048, 0.1352337788608801};
/// The same in small, for trials by the thousand on a CPU. With this factor its logits are spread as the contest's.
inline constexpr Dimensions kSmall = {"dsa_sparse_attention_h4_ckv32_kpe8_topk64_ps16", 4, 32, 8, 16, 64, 0.5};

/// Positions of the arguments in calling order.
enum Input : std::size_t { kQNope, kQPe, kCkvCache, kKpeCache, kSparseIndices, kSmScale, kInputCount };
enum Output : std::size_t { kOutput, kLse, kOutputCount };

/// The entry of sparse_indices that refers to no token.
inline constexpr std::int32_t kNoToken = -1;

/// Reads and writes the bfloat16 elements of one tensor.
class Elements {
 public:
  explicit Elements(std::span<std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(std::uint16_t); }
  [[nodiscard]] float operator[](std::size_t at) const {
    return tensor::from_bfloat16(load<std::uint16_t>(bytes_, at));
  }
  void set(std::size_t at, float value) { set_bits(at, tensor::to_bfloat16(value)); }
  void set_bits(std::size_t at, std::uint16_t bits) { store(bytes_, at, bits); }
  /// The elements from `at` on, `count` of them.
  [[nodiscard]] Elements part(std::size_t at, std::size_t count) const {
    return Elements(bytes_.subspan(at * sizeof(std::uint16_t), count * sizeof(std::uint16_t)));
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

/// The tensor arguments of one call, by row, head and token. Refers to memory of the caller's.
class CallView {
 public:
  /// Arguments that are not of this many, or not of these dimensions, are bugs.
  CallView(const Dimensions& dimensions, std::span<Argument> arguments);

  [[nodiscard]] const Dimensions& dimensions() const { return *dimensions_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t tokens() const { return tokens_; }  ///< num_pages * page_size
  [[nodiscard]] std::size_t pages() const { return tokens_ / dimensions_->page_size; }

  /// The two parts of one head's query, and of one token's key.
  [[nodiscard]] Elements q_nope(std::size_t row, std::size_t head) const;
  [[nodiscard]] Elements q_pe(std::size_t row, std::size_t head) const;
  [[nodiscard]] Elements ckv(std::size_t token) const;
  [[nodiscard]] Elements kpe(std::size_t token) const;

  /// Leaves both parts of all queries, or of both caches, to a plan.
  void leave_queries(device::CopyPlan& plan) const;
  void leave_keys(device::CopyPlan& plan) const;

  [[nodiscard]] std::int32_t index(std::size_t row, std::size_t slot) const;
  void set_index(std::size_t row, std::size_t slot, std::int32_t token) const;
  /// Slots of a row that refer to a token.
  [[nodiscard]] std::vector<std::size_t> valid_slots(std::size_t row) const;
  /// The token of a slot that refers to one. Checked.
  [[nodiscard]] std::size_t token(std::size_t row, std::size_t slot) const;

 private:
  const Dimensions* dimensions_;
  std::size_t rows_ = 0;
  std::size_t tokens_ = 0;
  Elements q_nope_;
  Elements q_pe_;
  Elements ckv_;
  Elements kpe_;
  std::span<std::byte> indices_;
};

}  // namespace assay::operators::dsa_sparse_attention
