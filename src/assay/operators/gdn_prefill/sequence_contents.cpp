#include <assay/operators/gdn_prefill/sequence_contents.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::gdn_prefill {
namespace {

float read(std::uint16_t bits) { return tensor::from_bfloat16(bits); }

float drawn_denormal(base::Philox& random) { return static_cast<float>(random.next_uniform() * 0x1p-127); }

/// Draws the keys of one head of one sequence.
class Keys {
 public:
  Keys(const Pool& pool, const Recipe& recipe, base::Philox& sequence_random, std::size_t size)
      : pool_(&pool), recipe_(&recipe), size_(size), shared_(std::max<std::uint64_t>(1, recipe.distinct_keys) * size) {
    for (std::size_t at = 0; at < shared_.size(); at += size) {
      pool.direction(sequence_random, std::span(shared_).subspan(at, size));
    }
  }

  void draw(base::Philox& random, std::span<std::uint16_t> key) const {
    if (recipe_->distinct_keys > 0) {
      const std::size_t which = random.next_below(recipe_->distinct_keys);
      std::copy_n(shared_.begin() + static_cast<std::ptrdiff_t>(which * size_), size_, key.begin());
      return;
    }
    pool_->direction(random, key);
    if (recipe_->key_correlation > 0) {
      lean(key);
    }
  }

 private:
  /// Mixes a direction with the shared one, and makes it of length 1 again.
  void lean(std::span<std::uint16_t> key) const {
    const double shared_part = std::sqrt(recipe_->key_correlation);
    const double own_part = std::sqrt(1.0 - recipe_->key_correlation);
    std::vector<double> mixed(size_);
    double square = 0;
    for (std::size_t j = 0; j < size_; ++j) {
      mixed[j] = shared_part * static_cast<double>(read(shared_[j])) + own_part * static_cast<double>(read(key[j]));
      square += mixed[j] * mixed[j];
    }
    for (std::size_t j = 0; j < size_; ++j) {
      key[j] = tensor::to_bfloat16(static_cast<float>(mixed[j] / std::sqrt(square)));
    }
  }

  const Pool* pool_;
  const Recipe* recipe_;
  std::size_t size_;
  std::vector<std::uint16_t> shared_;
};

void fill_values(const Pool& pool, const Recipe& recipe, base::Philox& random, std::span<std::uint16_t> v) {
  pool.normals(random, v);
  if (recipe.value_factor != 1) {
    for (std::uint16_t& value : v) {
      value = tensor::to_bfloat16(read(value) * static_cast<float>(recipe.value_factor));
    }
  }
  if (recipe.denormals > 0) {
    for (std::uint16_t& value : v) {
      value = random.next_uniform() < recipe.denormals ? tensor::to_bfloat16(drawn_denormal(random)) : value;
    }
  }
}

double within(const Recipe::Range& range, base::Philox& random) {
  return range.low + (range.high - range.low) * random.next_uniform();
}

void fill_gates(const Pool& pool, const Recipe& recipe, base::Philox& random, std::span<std::uint16_t> a,
                std::span<std::uint16_t> b) {
  pool.normals(random, a);
  pool.normals(random, b);
  if (!recipe.usual_a) {
    for (std::uint16_t& value : a) {
      value = tensor::to_bfloat16(static_cast<float>(within(recipe.a, random)));
    }
  }
  if (!recipe.usual_b) {
    for (std::uint16_t& value : b) {
      const bool negative = recipe.b_of_either_sign && random.next_below(2) == 0;
      value = tensor::to_bfloat16(static_cast<float>((negative ? -1.0 : 1.0) * within(recipe.b, random)));
    }
  }
}

/// Makes runs of about eight keys zero. `k` is one token after the other.
void make_zero_keys(double share, base::Philox& random, std::size_t token_size, std::span<std::uint16_t> k) {
  constexpr double kRun = 8;
  bool zero = random.next_uniform() < share;
  for (std::size_t at = 0; at < k.size(); at += token_size) {
    if (zero) {
      std::fill_n(k.begin() + static_cast<std::ptrdiff_t>(at), token_size, std::uint16_t{0});
    }
    if (random.next_uniform() < 1 / kRun) {
      zero = random.next_uniform() < share;
    }
  }
}

}  // namespace

void fill_tokens(const Dimensions& dimensions, const Pool& pool, const Recipe& recipe, std::uint64_t seed,
                 std::uint64_t sequence_stream, std::uint64_t run, const TokenContents& contents) {
  const std::size_t size = dimensions.head_size;
  base::Philox sequence_random(seed, sequence_stream);
  base::Philox random(seed, base::mix(sequence_stream, run + 1));
  std::vector<Keys> keys;
  for (std::size_t head = 0; head < dimensions.query_heads; ++head) {
    keys.emplace_back(pool, recipe, sequence_random, size);
  }
  for (std::size_t at = 0; at < contents.q.size(); at += size) {
    pool.direction(random, contents.q.subspan(at, size));
    keys[at / size % dimensions.query_heads].draw(random, contents.k.subspan(at, size));
  }
  if (recipe.zero_keys > 0) {
    make_zero_keys(recipe.zero_keys, random, dimensions.query_heads * size, contents.k);
  }
  const std::size_t token_values = dimensions.value_heads * size;
  for (std::size_t at = 0; at < contents.v.size(); at += token_values) {
    fill_values(pool, recipe, random, contents.v.subspan(at, token_values));
  }
  fill_gates(pool, recipe, random, contents.a, contents.b);
}

void fill_head_state(const Pool& pool, const Recipe& recipe, base::Philox& random, std::span<float> state) {
  if (recipe.state == Recipe::State::usual) {
    pool.normals(random, static_cast<float>(recipe.state_factor), state);
    for (std::size_t i = 0; recipe.denormals > 0 && i < state.size(); ++i) {
      state[i] = random.next_uniform() < recipe.denormals ? drawn_denormal(random) : state[i];
    }
    return;
  }
  std::fill(state.begin(), state.end(), 0.0F);
  if (recipe.state == Recipe::State::sparse) {
    state[random.next_below(state.size())] = static_cast<float>(recipe.state_factor * 10.0 * random.next_normal());
  }
}

bool is_cut(const Recipe& recipe) {
  return recipe.usual_a && recipe.usual_b && recipe.distinct_keys == 0 && recipe.key_correlation == 0 &&
         recipe.zero_keys == 0 && recipe.denormals == 0 && recipe.value_factor == 1;
}

std::size_t piece_count(const Dimensions& dimensions, const TokenContents& contents) {
  return 2 * (contents.q.size() / dimensions.head_size) +
         contents.v.size() / (dimensions.value_heads * dimensions.head_size) + 2;
}

void compose_tokens(const Dimensions& dimensions, const Pool& pool, std::uint64_t seed, std::uint64_t sequence_stream,
                    std::uint64_t run, const TokenContents& contents, std::span<device::CopyPlan::Piece> pieces) {
  const std::size_t size = dimensions.head_size;
  base::Philox random(seed, base::mix(sequence_stream, run + 1));
  auto piece = pieces.begin();
  for (std::size_t at = 0; at < contents.q.size(); at += size) {
    *piece++ = pool.direction_piece(random, contents.q.subspan(at, size));
    *piece++ = pool.direction_piece(random, contents.k.subspan(at, size));
  }
  const std::size_t token_values = dimensions.value_heads * size;
  for (std::size_t at = 0; at < contents.v.size(); at += token_values) {
    *piece++ = pool.normals_piece(random, contents.v.subspan(at, token_values));
  }
  *piece++ = pool.normals_piece(random, contents.a);
  *piece++ = pool.normals_piece(random, contents.b);
  ASSAY_CHECK(piece == pieces.end());
}

void compose_head_state(const Pool& pool, const Recipe& recipe, base::Philox& random, std::span<float> state,
                        device::CopyPlan& plan) {
  if (recipe.state == Recipe::State::usual) {
    pool.compose_normals(random, static_cast<float>(recipe.state_factor), state, plan);
    return;
  }
  plan.zero(std::as_writable_bytes(state));
  if (recipe.state == Recipe::State::sparse) {
    const std::span<float> element = state.subspan(random.next_below(state.size()), 1);
    const auto value = static_cast<float>(recipe.state_factor * 10.0 * random.next_normal());
    plan.set(std::as_writable_bytes(element), std::as_bytes(std::span(&value, 1)));
  }
}

}  // namespace assay::operators::gdn_prefill
