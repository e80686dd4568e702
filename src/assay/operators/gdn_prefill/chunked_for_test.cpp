#include <assay/operators/gdn_prefill/chunked_for_test.hpp>

#include <algorithm>
#include <cmath>

#include <assay/tensor/dtype.hpp>

namespace assay::operators::gdn_prefill {
namespace {

float rounded_to_bfloat16(float value) { return tensor::from_bfloat16(tensor::to_bfloat16(value)); }

/// Ten bits behind the point: round to nearest even.
float rounded_to_tfloat32(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  return __builtin_bit_cast(float, (bits + 0xfffU + ((bits >> 13U) & 1U)) & ~0x1fffU);
}

template <class Real>
Real exponential(Real x, Style::Gate gate) {
  constexpr Real kLog2OfE = static_cast<Real>(1.4426950408889634074);
  return gate == Style::Gate::base_two ? std::exp2(x * kLog2OfE) : std::exp(x);
}

template <class Real>
Real softplus(Real x, Style::Gate gate) {
  if (x > Real{20}) {
    return x;
  }
  return gate == Style::Gate::log1p ? std::log1p(std::exp(x)) : std::log(Real{1} + exponential(x, gate));
}

/// One value head along one sequence, chunk by chunk.
template <class Real>
class Head {
 public:
  Head(OperatorTrial& trial, const Dimensions& dimensions, const Style& style, Mistake mistake, std::size_t head)
      : trial_(&trial),
        dimensions_(dimensions),
        style_(style),
        mistake_(mistake),
        head_(head),
        size_(dimensions.head_size),
        state_(dimensions.state_size()),
        before_(dimensions.state_size()) {
    // These two have no form in chunks.
    if (mistake == Mistake::decay_after_update || mistake == Mistake::undecayed_prediction) {
      style_.chunk = 1;
    }
    scale_ = static_cast<Real>(trial.scalar(kScale));
    if (scale_ == Real{0} && mistake != Mistake::scale_zero_is_zero) {
      scale_ = Real{1} / std::sqrt(static_cast<Real>(size_));
    }
    scale_ = mistake == Mistake::no_scale ? Real{1} : mistake == Mistake::scale_twice ? scale_ * scale_ : scale_;
  }

  void run(std::size_t sequence, std::size_t begin, std::size_t end, Results<Real>& results) {
    const std::size_t count = dimensions_.value_heads * state_.size();
    const std::size_t at = sequence * count + head_ * state_.size();
    if (mistake_ != Mistake::state_not_reset || sequence == 0) {
      read_state(at);
    }
    before_ = state_;
    const bool tail_dropped = mistake_ == Mistake::tail_dropped;
    for (std::size_t token = begin; token < end; token += style_.chunk) {
      const std::size_t tokens = std::min(style_.chunk, end - token);
      if (!tail_dropped || tokens == style_.chunk) {
        before_ = state_;
        run_chunk(token, tokens, token + tokens == end, results);
      }
    }
    const std::size_t slot = mistake_ == Mistake::wrong_slot ? (at + count) % results.new_state.size() : at;
    const bool zero = begin == end && mistake_ != Mistake::empty_copies_state;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (mistake_ == Mistake::last_row_missing && i / size_ + 1 == size_) {
        break;
      }
      const Real value = mistake_ == Mistake::stale_new_state ? before_[i] : state_[i];
      results.new_state[slot + stored_at(i)] = zero ? Real{0} : value;
    }
  }

 private:
  using Vector = std::vector<Real>;

  [[nodiscard]] std::size_t stored_at(std::size_t i) const {
    return mistake_ == Mistake::transposed_state ? i % size_ * size_ + i / size_ : i;
  }

  void read_state(std::size_t at) {
    const auto given = trial_->in<float>(kState);
    for (std::size_t i = 0; i < state_.size(); ++i) {
      state_[i] = mistake_ == Mistake::state_ignored ? Real{0} : static_cast<Real>(given[at + stored_at(i)]);
    }
  }

  [[nodiscard]] Real operand(Real value) const {
    if constexpr (std::is_same_v<Real, float>) {
      switch (style_.operand) {
        case Style::Operand::tfloat32:
          return rounded_to_tfloat32(value);
        case Style::Operand::bfloat16:
          return rounded_to_bfloat16(value);
        case Style::Operand::as_is:
          break;
      }
    }
    return value;
  }

  [[nodiscard]] Real dot(const Real* x, const Real* y) const {
    std::array<Real, 16> sums{};
    for (std::size_t j = 0; j < size_; j += style_.strands) {
      for (std::size_t strand = 0; strand < style_.strands; ++strand) {
        sums[strand] += x[j + strand] * y[j + strand];
      }
    }
    Real total{};
    for (std::size_t strand = 0; strand < style_.strands; ++strand) {
      total += sums[strand];
    }
    return total;
  }

  [[nodiscard]] Vector read(Input input, std::size_t token, std::size_t tokens, std::size_t heads, std::size_t head) {
    Vector values;
    values.reserve(tokens * size_);
    const auto bits = trial_->in<std::uint16_t>(input);
    for (std::size_t i = token; i < token + tokens; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        values.push_back(static_cast<Real>(tensor::from_bfloat16(bits[(i * heads + head) * size_ + j])));
      }
    }
    return values;
  }

  /// Reads the gates of a chunk: G, summed up, and beta.
  void read_gates(std::size_t token, std::size_t tokens) {
    const std::size_t heads = dimensions_.value_heads;
    const std::size_t from = mistake_ == Mistake::next_head_gates ? (head_ + 1) % heads : head_;
    const auto a_log = static_cast<Real>(trial_->in<float>(kALog)[head_]);
    const auto dt_bias =
        mistake_ == Mistake::no_dt_bias ? Real{0} : static_cast<Real>(trial_->in<float>(kDtBias)[head_]);
    own_.assign(tokens, Real{0});
    sum_.assign(tokens, Real{0});
    beta_.assign(tokens, Real{1});
    Real sum{};
    for (std::size_t i = 0; i < tokens; ++i) {
      const Real x =
          static_cast<Real>(tensor::from_bfloat16(trial_->in<std::uint16_t>(kA)[(token + i) * heads + from])) + dt_bias;
      const Real step = mistake_ == Mistake::no_softplus ? std::max(x, Real{0}) : softplus(x, style_.gate);
      own_[i] = mistake_ == Mistake::no_decay ? Real{0} : -exponential(a_log, style_.gate) * step;
      sum += own_[i];
      sum_[i] = mistake_ == Mistake::late_gates ? sum - own_[i] : sum;
      const auto b =
          static_cast<Real>(tensor::from_bfloat16(trial_->in<std::uint16_t>(kB)[(token + i) * heads + from]));
      if (mistake_ != Mistake::no_beta) {
        beta_[i] = Real{1} / (Real{1} + exponential(-b, style_.gate));
      }
      if (mistake_ == Mistake::bfloat16_gates) {
        sum_[i] = static_cast<Real>(rounded_to_bfloat16(static_cast<float>(sum_[i])));
        beta_[i] = static_cast<Real>(rounded_to_bfloat16(static_cast<float>(beta_[i])));
      }
    }
    chunk_decay_ = sum;
  }

  [[nodiscard]] Real decay(Real exponent) const { return exponential(exponent, style_.gate); }

  void run_chunk(std::size_t token, std::size_t tokens, bool last, Results<Real>& results) {
    const std::size_t query_head =
        mistake_ == Mistake::wrong_query_heads ? head_ % dimensions_.query_heads : dimensions_.query_head_of(head_);
    q_ = read(kQ, token, tokens, dimensions_.query_heads, query_head);
    k_ = read(kK, token, tokens, dimensions_.query_heads, query_head);
    v_ = read(kV, token, tokens, dimensions_.value_heads, head_);
    read_gates(token, tokens);
    narrow_state_ = state_;
    std::transform(state_.begin(), state_.end(), narrow_state_.begin(), [&](Real value) { return operand(value); });
    find_corrections(tokens);
    std::transform(x_.begin(), x_.end(), x_.begin(), [&](Real value) { return operand(value); });
    write_output(token, tokens, results);
    update_state(mistake_ == Mistake::last_token_skipped && last ? tokens - 1 : tokens);
  }

  /// X: what each token adds to the state, in units of its key.
  void find_corrections(std::size_t tokens) {
    Vector a(tokens * tokens);
    for (std::size_t i = 0; i < tokens; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        a[i * tokens + j] = beta_[i] * dot(row(k_, i), row(k_, j)) * decay(sum_[i] - sum_[j]);
      }
    }
    x_.assign(tokens * size_, Real{0});
    if (style_.inverse || mistake_ == Mistake::first_order_inverse) {
      apply_inverse(inverse_of(a, tokens), tokens);
      return;
    }
    const bool undecayed = mistake_ == Mistake::decay_after_update || mistake_ == Mistake::undecayed_prediction;
    for (std::size_t i = 0; i < tokens; ++i) {
      const Real decayed = undecayed ? Real{1} : decay(sum_[i]);
      for (std::size_t d = 0; d < size_; ++d) {
        x_[i * size_ + d] = beta_[i] * (v_[i * size_ + d] - decayed * dot(row(narrow_state_, d), row(k_, i)));
      }
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t d = 0; d < size_; ++d) {
          x_[i * size_ + d] -= a[i * tokens + j] * x_[j * size_ + d];
        }
      }
    }
  }

  [[nodiscard]] Vector inverse_of(const Vector& a, std::size_t tokens) const {
    Vector inverse(tokens * tokens, Real{0});
    for (std::size_t i = 0; i < tokens; ++i) {
      inverse[i * tokens + i] = Real{1};
      for (std::size_t m = 0; m < i; ++m) {
        const std::size_t columns = mistake_ == Mistake::first_order_inverse ? 0 : m;
        for (std::size_t j = 0; j < columns; ++j) {
          inverse[i * tokens + j] -= a[i * tokens + m] * inverse[m * tokens + j];
        }
        inverse[i * tokens + m] -= a[i * tokens + m];
      }
    }
    return inverse;
  }

  /// X = U - W S^T with U = T (beta V), W = T (beta exp(G) K).
  void apply_inverse(const Vector& inverse, std::size_t tokens) {
    Vector w(tokens * size_, Real{0});
    Vector values(tokens * size_);
    Vector keys(tokens * size_);
    for (std::size_t i = 0; i < tokens; ++i) {
      const Real key_factor = beta_[i] * decay(sum_[i]);
      for (std::size_t d = 0; d < size_; ++d) {
        values[i * size_ + d] = operand(beta_[i] * v_[i * size_ + d]);
        keys[i * size_ + d] = operand(key_factor * k_[i * size_ + d]);
      }
    }
    for (std::size_t i = 0; i < tokens; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const Real factor = operand(inverse[i * tokens + j]);
        for (std::size_t d = 0; d < size_; ++d) {
          x_[i * size_ + d] += factor * values[j * size_ + d];
          w[i * size_ + d] += factor * keys[j * size_ + d];
        }
      }
      for (std::size_t d = 0; d < size_; ++d) {
        w[i * size_ + d] = operand(w[i * size_ + d]);
      }
      for (std::size_t d = 0; d < size_; ++d) {
        x_[i * size_ + d] -= dot(row(narrow_state_, d), row(w, i));
      }
    }
  }

  void write_output(std::size_t token, std::size_t tokens, Results<Real>& results) {
    for (std::size_t i = 0; i < tokens; ++i) {
      Real* output = results.output.data() + ((token + i) * dimensions_.value_heads + head_) * size_;
      const Real decayed = decay(sum_[i]);
      for (std::size_t d = 0; d < size_; ++d) {
        output[d] = decayed * dot(row(narrow_state_, d), row(q_, i));
      }
      const std::size_t seen = mistake_ == Mistake::output_of_old_state ? i : i + 1;
      for (std::size_t j = 0; j < seen; ++j) {
        const bool decays = mistake_ != Mistake::no_inner_decay;
        // After the update even the token's own value decays.
        const Real weight = mistake_ == Mistake::decay_after_update ? decayed
                            : decays                                ? decay(sum_[i] - sum_[j])
                                                                    : Real{1};
        const Real attention = operand(dot(row(q_, i), row(k_, j)) * weight);
        for (std::size_t d = 0; d < size_; ++d) {
          output[d] += attention * x_[j * size_ + d];
        }
      }
      for (std::size_t d = 0; d < size_; ++d) {
        output[d] *= scale_;
      }
    }
  }

  void update_state(std::size_t tokens) {
    const Real all = decay(chunk_decay_);
    for (Real& value : state_) {
      value *= mistake_ == Mistake::no_boundary_decay ? Real{1} : all;
    }
    Vector key(size_);
    for (std::size_t j = 0; j < tokens; ++j) {
      const Real left = mistake_ == Mistake::decay_after_update ? all : decay(chunk_decay_ - sum_[j]);
      for (std::size_t m = 0; m < size_; ++m) {
        key[m] = operand(left * k_[j * size_ + m]);
      }
      for (std::size_t d = 0; d < size_; ++d) {
        const Real correction = x_[j * size_ + d];
        for (std::size_t m = 0; m < size_; ++m) {
          state_[d * size_ + m] += correction * key[m];
        }
      }
    }
    if (mistake_ == Mistake::bfloat16_state) {
      std::transform(state_.begin(), state_.end(), state_.begin(),
                     [](Real value) { return static_cast<Real>(rounded_to_bfloat16(static_cast<float>(value))); });
    }
  }

  [[nodiscard]] const Real* row(const Vector& values, std::size_t i) const { return values.data() + i * size_; }

  OperatorTrial* trial_;
  Dimensions dimensions_;
  Style style_;
  Mistake mistake_;
  std::size_t head_;
  std::size_t size_;
  Real scale_{};
  Vector state_;         ///< [value dimension, key dimension]
  Vector narrow_state_;  ///< The same as an operand.
  Vector before_;        ///< Before the last chunk.
  Vector q_, k_, v_, x_;
  Vector own_, sum_, beta_;
  Real chunk_decay_{};
};

}  // namespace

template <class Real>
Results<Real> run_chunked(OperatorTrial& trial, const Dimensions& dimensions, const Style& style, Mistake mistake) {
  Results<Real> results;
  const std::size_t tokens = trial.axis("total_seq_len");
  const std::size_t sequences = trial.axis("num_seqs");
  const Real left = mistake == Mistake::last_row_missing ? static_cast<Real>(NAN) : Real{0};
  results.output.assign(tokens * dimensions.value_heads * dimensions.head_size, Real{0});
  results.new_state.assign(sequences * dimensions.value_heads * dimensions.state_size(), left);
  const auto starts = trial.in<std::int64_t>(kCuSeqlens);
  const auto boundary = [&](std::size_t i) {
    const bool late = mistake == Mistake::shifted_sequences && i > 0;
    return std::min(tokens, static_cast<std::size_t>(starts[i]) + (late ? 1U : 0U));
  };
  for (std::size_t head = 0; head < dimensions.value_heads; ++head) {
    Head<Real> along(trial, dimensions, style, mistake, head);
    for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
      along.run(sequence, boundary(sequence), boundary(sequence + 1), results);
    }
  }
  return results;
}

template Results<float> run_chunked(OperatorTrial&, const Dimensions&, const Style&, Mistake);
template Results<double> run_chunked(OperatorTrial&, const Dimensions&, const Style&, Mistake);

void run_float32(OperatorTrial& trial, const Dimensions& dimensions, const Style& style, Mistake mistake) {
  Results<float> results = run_chunked<float>(trial, dimensions, style, mistake);
  if (mistake == Mistake::zeros) {
    std::fill(results.output.begin(), results.output.end(), 0.0F);
    std::fill(results.new_state.begin(), results.new_state.end(), 0.0F);
  }
  const auto output = trial.out<std::uint16_t>(kOutput);
  std::transform(results.output.begin(), results.output.end(), output.begin(), [&](float value) {
    const bool narrow = mistake == Mistake::float8_output;
    return tensor::to_bfloat16(narrow ? tensor::from_float8_e4m3fn(tensor::to_float8_e4m3fn(value * 0x1p6F)) * 0x1p-6F
                                      : value);
  });
  std::copy(results.new_state.begin(), results.new_state.end(), trial.out<float>(kNewState).begin());
  if (mistake == Mistake::copied_state) {
    const auto given = trial.in<float>(kState);
    std::copy(given.begin(), given.end(), trial.out<float>(kNewState).begin());
  }
}

}  // namespace assay::operators::gdn_prefill
