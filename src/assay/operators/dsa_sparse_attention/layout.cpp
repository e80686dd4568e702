#include <assay/operators/dsa_sparse_attention/layout.hpp>

#include <assay/base/error.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

std::span<std::byte> tensor_argument(std::span<Argument> arguments, std::size_t position) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  return bytes_of(arguments, position);
}

}  // namespace

CallView::CallView(const Dimensions& dimensions, std::span<Argument> arguments)
    : dimensions_(&dimensions),
      q_nope_(tensor_argument(arguments, kQNope)),
      q_pe_(tensor_argument(arguments, kQPe)),
      ckv_(tensor_argument(arguments, kCkvCache)),
      kpe_(tensor_argument(arguments, kKpeCache)),
      indices_(tensor_argument(arguments, kSparseIndices)) {
  rows_ = indices_.size() / (dimensions.topk * sizeof(std::int32_t));
  tokens_ = ckv_.size() / dimensions.ckv;
  ASSAY_CHECK(rows_ > 0 && indices_.size() == rows_ * dimensions.topk * sizeof(std::int32_t));
  ASSAY_CHECK(q_nope_.size() == rows_ * dimensions.heads * dimensions.ckv);
  ASSAY_CHECK(q_pe_.size() == rows_ * dimensions.heads * dimensions.kpe);
  ASSAY_CHECK(tokens_ > 0 && tokens_ % dimensions.page_size == 0 && ckv_.size() == tokens_ * dimensions.ckv);
  ASSAY_CHECK(kpe_.size() == tokens_ * dimensions.kpe);
}

Elements CallView::q_nope(std::size_t row, std::size_t head) const {
  return q_nope_.part((row * dimensions_->heads + head) * dimensions_->ckv, dimensions_->ckv);
}

Elements CallView::q_pe(std::size_t row, std::size_t head) const {
  return q_pe_.part((row * dimensions_->heads + head) * dimensions_->kpe, dimensions_->kpe);
}

Elements CallView::ckv(std::size_t token) const { return ckv_.part(token * dimensions_->ckv, dimensions_->ckv); }

Elements CallView::kpe(std::size_t token) const { return kpe_.part(token * dimensions_->kpe, dimensions_->kpe); }

void CallView::leave_queries(device::CopyPlan& plan) const {
  plan.leave(q_nope_.bytes());
  plan.leave(q_pe_.bytes());
}

void CallView::leave_keys(device::CopyPlan& plan) const {
  plan.leave(ckv_.bytes());
  plan.leave(kpe_.bytes());
}

std::int32_t CallView::index(std::size_t row, std::size_t slot) const {
  return load<std::int32_t>(indices_, row * dimensions_->topk + slot);
}

void CallView::set_index(std::size_t row, std::size_t slot, std::int32_t token) const {
  store(indices_, row * dimensions_->topk + slot, token);
}

std::vector<std::size_t> CallView::valid_slots(std::size_t row) const {
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < dimensions_->topk; ++slot) {
    if (index(row, slot) != kNoToken) {
      slots.push_back(slot);
    }
  }
  return slots;
}

std::size_t CallView::token(std::size_t row, std::size_t slot) const {
  const std::int32_t id = index(row, slot);
  ASSAY_CHECK(id >= 0 && static_cast<std::size_t>(id) < tokens_);
  return static_cast<std::size_t>(id);
}

}  // namespace assay::operators::dsa_sparse_attention
