#include <assay/operators/dsa_sparse_attention/stress.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/dsa_sparse_attention/rows.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

void clear_row(const CallView& call, std::size_t row) {
  for (std::size_t slot = 0; slot < call.dimensions().topk; ++slot) {
    call.set_index(row, slot, kNoToken);
  }
}

/// Names tokens in the first slots of a row, and -1 in the others.
void write_row(const CallView& call, std::size_t row, const std::vector<std::size_t>& tokens) {
  clear_row(call, row);
  for (std::size_t slot = 0; slot < tokens.size(); ++slot) {
    call.set_index(row, slot, static_cast<std::int32_t>(tokens[slot]));
  }
}

std::size_t most_distinct(const CallView& call) { return std::min(call.dimensions().topk, call.tokens()); }

std::vector<std::size_t> draw_tokens(const CallView& call, base::Philox& random, std::size_t count) {
  return draw_distinct(random, std::min(count, most_distinct(call)), call.tokens());
}

void pad_anywhere(const CallView& call, base::Philox& random) {
  const std::size_t topk = call.dimensions().topk;
  const std::size_t empty = random.next_below(call.rows());
  for (std::size_t row = 0; row < call.rows(); ++row) {
    clear_row(call, row);
    if (row == empty && call.rows() > 1) {
      continue;
    }
    const auto tokens = draw_tokens(call, random, 1 + random.next_below(topk - 1));
    const auto slots = draw_distinct(random, tokens.size(), topk - 1);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      // Every other row leaves the first slot free, the others the last.
      call.set_index(row, slots[i] + row % 2, static_cast<std::int32_t>(tokens[i]));
    }
  }
}

void vary_lengths(const CallView& call, base::Philox& random) {
  const Dimensions& dimensions = call.dimensions();
  const std::size_t page = dimensions.page_size;
  const std::size_t topk = dimensions.topk;
  const std::vector<std::size_t> lengths = {topk,         0,        1, topk - 1,     page + 1, page,        2, page - 1,
                                            topk / 2 + 1, topk / 2, 3, topk / 2 - 1, 7,        topk - page, 13};
  const std::size_t first = random.next_below(lengths.size());
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const std::size_t length = std::min(lengths[(first + row) % lengths.size()], most_distinct(call));
    const std::size_t begin = random.next_below(call.tokens() - length + 1);
    std::vector<std::size_t> tokens(length);
    for (std::size_t i = 0; i < length; ++i) {
      tokens[i] = begin + i;
    }
    write_row(call, row, tokens);
  }
}

void walk_page_edges(const CallView& call, base::Philox& random) {
  const std::size_t page_size = call.dimensions().page_size;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    std::set<std::size_t> tokens;
    const auto add_page = [&](std::size_t page) {
      const std::size_t begin = page * page_size;
      tokens.insert({begin, begin + 1, begin + page_size - 2, begin + page_size - 1});
    };
    add_page(0);
    add_page(call.pages() - 1);
    for (std::size_t i = 0; i < call.dimensions().topk / 8; ++i) {
      add_page(random.next_below(call.pages()));
    }
    std::vector<std::size_t> in_any_order(tokens.begin(), tokens.end());
    shuffle(random, in_any_order);
    in_any_order.resize(std::min(in_any_order.size(), call.dimensions().topk));
    write_row(call, row, in_any_order);
  }
}

void repeat_tokens(const CallView& call, base::Philox& random) {
  const std::size_t topk = call.dimensions().topk;
  std::vector<std::size_t> few = draw_tokens(call, random, 1 + random.next_below(8));
  for (std::size_t row = 0; row < call.rows(); ++row) {
    if (row % 2 == 1) {
      few = draw_tokens(call, random, 2 + random.next_below(topk / 2));
    }
    std::vector<std::size_t> tokens(2 + random.next_below(topk - 1));
    std::generate(tokens.begin(), tokens.end(), [&] { return few[random.next_below(few.size())]; });
    tokens.back() = tokens.front();  // At least one is named twice.
    write_row(call, row, tokens);
  }
}

/// Rows of their own tokens where there are enough for that.
void keep_rows_apart(const CallView& call, base::Philox& random) {
  const std::size_t count = std::max<std::size_t>(1, std::min(call.dimensions().topk, call.tokens() / call.rows()));
  const auto all = draw_distinct(random, std::min(call.rows() * count, call.tokens()), call.tokens());
  for (std::size_t row = 0; row < call.rows(); ++row) {
    std::vector<std::size_t> tokens;
    for (std::size_t i = 0; i < count; ++i) {
      tokens.push_back(all[(row * count + i) % all.size()]);
    }
    write_row(call, row, tokens);
  }
}

void mix_blocks(const CallView& call, base::Philox& random) {
  const std::size_t topk = call.dimensions().topk;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    // Blocks as kernels have them, and of any other size.
    const std::size_t block =
        random.next_below(2) == 0 ? topk >> (2 + random.next_below(3)) : 1 + random.next_below(topk / 2);
    const auto tokens = draw_tokens(call, random, topk);
    std::vector<std::size_t> kinds;
    const std::size_t blocks = (topk + block - 1) / block;
    for (std::size_t i = 0; i < blocks; ++i) {
      // Every other row begins with nothing, and each ends with something.
      const std::size_t kind = i == 0 ? row % 2 * 2 : random.next_below(4);
      kinds.push_back(i + 1 == blocks ? 3 : kind);
    }
    for (std::size_t slot = 0; slot < topk; ++slot) {
      const std::size_t kind = kinds[slot / block];
      const bool named = kind >= 2 || (kind == 1 && random.next_below(2) == 0);
      call.set_index(row, slot, named ? static_cast<std::int32_t>(tokens[slot % tokens.size()]) : kNoToken);
    }
  }
}

void scale_elements(Elements elements, double factor) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements.set(i, static_cast<float>(static_cast<double>(elements[i]) * factor));
  }
}

double square(const Elements& elements) {
  double sum = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    sum += static_cast<double>(elements[i]) * static_cast<double>(elements[i]);
  }
  return sum;
}

/// Points a token's key along a head's query, so that their logit is about `logit`.
void align(const CallView& call, std::size_t row, std::size_t head, std::size_t slot, double sm_scale, double logit) {
  const std::size_t token = call.token(row, slot);
  const double factor = logit / (sm_scale * (square(call.q_nope(row, head)) + square(call.q_pe(row, head))));
  const auto copy = [&](const Elements& from, Elements to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to.set(i, static_cast<float>(factor * static_cast<double>(from[i])));
    }
  };
  copy(call.q_nope(row, head), call.ckv(token));
  copy(call.q_pe(row, head), call.kpe(token));
}

void give_each_head_a_peak(const CallView& call, double sm_scale, base::Philox& random) {
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const auto slots = call.valid_slots(row);
    for (std::size_t head = 0; head < call.dimensions().heads; ++head) {
      const bool last = (row + head) % call.dimensions().heads == 0;
      align(call, row, head, last ? slots.back() : slots[random.next_below(slots.size())], sm_scale, 35);
    }
  }
}

/// Lets the largest logit rise, or fall, four times along the row, each time for another head.
void make_maxima_move(const CallView& call, double sm_scale, base::Philox& random) {
  constexpr std::size_t kSteps = 4;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const auto slots = call.valid_slots(row);
    for (std::size_t step = 0; step < kSteps && step < slots.size(); ++step) {
      const std::size_t slot =
          slots[(step + 1) * slots.size() / kSteps == 0 ? 0 : (step + 1) * slots.size() / kSteps - 1];
      const std::size_t height = row % 3 == 2 ? kSteps - step : step + 1;
      align(call, row, random.next_below(call.dimensions().heads), slot, sm_scale, 12.0 * static_cast<double>(height));
    }
  }
}

/// Queries so short that all logits are almost equal. The values of a row's first half lie to one side and those of its
/// second half to the other: the sums grow before they cancel, and what a narrow sum rounds away stays away.
void flatten(const CallView& call, base::Philox& random) {
  constexpr float kAside = 0.5F;
  std::vector<float> aside(call.dimensions().ckv);
  std::generate(aside.begin(), aside.end(), [&] { return random.next_below(2) == 0 ? kAside : -kAside; });
  std::set<std::size_t> done;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    for (std::size_t head = 0; head < call.dimensions().heads; ++head) {
      scale_elements(call.q_nope(row, head), 0x1p-6);
      scale_elements(call.q_pe(row, head), 0x1p-6);
    }
    const auto slots = call.valid_slots(row);
    if (slots.size() < call.dimensions().topk / 2) {
      continue;  // Of a few tokens the weights' rounding would not cancel as well.
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::size_t token = call.token(row, slots[i]);
      if (done.insert(token).second) {
        Elements value = call.ckv(token);
        for (std::size_t column = 0; column < value.size(); ++column) {
          value.set(column, value[column] + (i < slots.size() / 2 ? aside[column] : -aside[column]));
        }
      }
    }
  }
}

template <class Work>
void for_each_named(const CallView& call, std::size_t row, const Work& work) {
  for (const std::size_t slot : call.valid_slots(row)) {
    work(call.token(row, slot));
  }
}

/// All elements are small multiples of powers of two, so that float32 holds every partial sum of every dot product
/// exactly: an honest kernel cannot be wrong by more than the rounding of a logit, however large the logits are.
void make_logits_large(const CallView& call, double sm_scale, base::Philox& random) {
  const Dimensions& dimensions = call.dimensions();
  const double size = static_cast<double>(dimensions.ckv + dimensions.kpe);
  const double unit = std::exp2(std::round(std::log2(1.5 / (sm_scale * std::sqrt(size)))));
  const auto draw = [&](Elements elements, double step) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements.set(i, static_cast<float>(step * (static_cast<double>(random.next_below(5)) - 2)));
    }
  };
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const double magnitude = (0.5 + 0.5 * random.next_uniform()) * (row % 3 == 0 ? 1e4 : row % 3 == 1 ? 200 : 1500);
    for (std::size_t head = 0; head < dimensions.heads; ++head) {
      draw(call.q_nope(row, head), 1);
      draw(call.q_pe(row, head), 1);
      call.q_pe(row, head).set(0, static_cast<float>(((row + head) % 2 == 0 ? -1 : 1) * magnitude / sm_scale));
    }
    for_each_named(call, row, [&](std::size_t token) {
      draw(call.ckv(token), unit);
      draw(call.kpe(token), unit);
      call.kpe(token).set(0, 1);
    });
  }
}

void widen_range(const CallView& call, base::Philox& random) {
  // The first row, which may be the only one, is far from 1 either way.
  constexpr std::array<double, 7> kExponents = {80, -80, 0, 12, -12, 40, -40};
  std::vector<double> of_column(call.dimensions().ckv);
  std::generate(of_column.begin(), of_column.end(), [&] {
    return random.next_below(2) == 0 ? 0 : -static_cast<double>(random.next_below(12));  // Half of the columns count.
  });
  const bool apart = call.tokens() >= call.rows();
  const std::size_t first = random.next_below(2);
  std::set<std::size_t> done;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const double exponent = kExponents[(apart ? first + row : first) % kExponents.size()];
    for (std::size_t head = 0; head < call.dimensions().heads; ++head) {
      scale_elements(call.q_nope(row, head), std::exp2(-exponent));
    }
    for_each_named(call, row, [&](std::size_t token) {
      if (!done.insert(token).second) {
        return;
      }
      Elements key = call.ckv(token);
      for (std::size_t i = 0; i < key.size(); ++i) {
        key.set(i, static_cast<float>(static_cast<double>(key[i]) * std::exp2(exponent + of_column[i])));
      }
    });
  }
}

/// Replaces one element in 16 by a denormal or a negative zero.
void sprinkle(Elements elements, base::Philox& random) {
  constexpr unsigned kSign = 0x8000;
  for (std::size_t i = 0; i < (elements.size() + 15) / 16; ++i) {
    const auto bits = static_cast<unsigned>(random.next_below(256));
    elements.set_bits(random.next_below(elements.size()),
                      static_cast<std::uint16_t>(bits < 128 ? bits : kSign | (bits - 128)));
  }
}

void add_zeros_and_denormals(const CallView& call, base::Philox& random) {
  for (std::size_t row = 0; row < call.rows(); ++row) {
    for (std::size_t head = 0; head < call.dimensions().heads; ++head) {
      sprinkle(call.q_nope(row, head), random);
      sprinkle(call.q_pe(row, head), random);
    }
    for_each_named(call, row, [&](std::size_t token) {
      sprinkle(call.ckv(token), random);
      sprinkle(call.kpe(token), random);
    });
    const std::size_t zero_head = random.next_below(call.dimensions().heads);
    scale_elements(call.q_nope(row, zero_head), 0);
    scale_elements(call.q_pe(row, zero_head), 0);
  }
  // One token of zeros: each row names another one, whose values are its output.
  const auto slots = call.valid_slots(0);
  const std::size_t zero_token = call.token(0, slots[random.next_below(slots.size())]);
  scale_elements(call.ckv(zero_token), 0);
  scale_elements(call.kpe(zero_token), 0);
}

}  // namespace

StressTrial make_stress_trial(const Dimensions& dimensions, std::uint64_t seed, std::uint64_t index,
                              std::uint64_t largest_bytes) {
  base::Philox random(seed, base::mix(base::stream_id(dimensions.definition), index));
  constexpr std::array<std::uint64_t, 9> kRows = {1, 2, 3, 5, 7, 8, 9, 13, 17};
  const std::uint64_t full = dimensions.topk / dimensions.page_size;
  const std::array<std::uint64_t, 8> kPages = {
      1, 2, full - 1, full, full + 1, 2 * full + 1, 31 * full / 4, 67 * full / 4};
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  std::uint64_t rows = kRows[random.next_below(kRows.size())];
  std::uint64_t pages = kPages[random.next_below(kPages.size())];
  if (trial.kind == kPageEdges) {
    pages = 32768 / dimensions.page_size + 1 + random.next_below(64);
  }
  // Half of the bytes for the rows, and what they leave for the pages.
  const std::uint64_t row_bytes =
      dimensions.heads * (4 * dimensions.ckv + 2 * dimensions.kpe + 4) + 4 * dimensions.topk;
  const std::uint64_t page_bytes = dimensions.page_size * 2 * (dimensions.ckv + dimensions.kpe);
  rows = std::clamp<std::uint64_t>(largest_bytes / 2 / row_bytes, 1, rows);
  const std::uint64_t left = largest_bytes - std::min(largest_bytes, rows * row_bytes);
  pages = std::clamp<std::uint64_t>(left / page_bytes, 1, pages);
  trial.workload.uuid = fmt::format("stress-{}-{:x}-{}", dimensions.definition, seed, index);
  trial.workload.axes = {{"num_tokens", static_cast<std::int64_t>(rows)},
                         {"num_pages", static_cast<std::int64_t>(pages)}};
  trial.workload.inputs = {{"sm_scale", task::ScalarInput{dimensions.sm_scale * (0.5 + random.next_uniform())}}};
  return trial;
}

void fill_stress_indices(std::size_t kind, const CallView& call, base::Philox& random) {
  switch (kind) {
    case kPaddingAnywhere:
      return pad_anywhere(call, random);
    case kRowLengths:
      return vary_lengths(call, random);
    case kPageEdges:
      return walk_page_edges(call, random);
    case kRepeatedIds:
      return repeat_tokens(call, random);
    case kWideRange:
      return keep_rows_apart(call, random);
    case kMixedBlocks:
      return mix_blocks(call, random);
    default:
      for (std::size_t row = 0; row < call.rows(); ++row) {
        // Full rows, and every third of any other length.
        const std::size_t topk = call.dimensions().topk;
        write_row(call, row, draw_tokens(call, random, row % 3 == 2 ? 2 + random.next_below(topk - 1) : topk));
      }
  }
}

void make_hard(std::size_t kind, const CallView& call, double sm_scale, base::Philox& random) {
  switch (kind) {
    case kPeaked:
      return give_each_head_a_peak(call, sm_scale, random);
    case kNearEqual:
      return flatten(call, random);
    case kLargeLogits:
      return make_logits_large(call, sm_scale, random);
    case kWideRange:
      return widen_range(call, random);
    case kZerosAndDenormals:
      return add_zeros_and_denormals(call, random);
    case kMixedBlocks:
      return make_maxima_move(call, sm_scale, random);
    default:
      return;  // Their indices are what is hard.
  }
}

}  // namespace assay::operators::dsa_sparse_attention
