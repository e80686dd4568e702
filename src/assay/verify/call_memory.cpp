#include <assay/verify/call_memory.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <assay/base/parallel.hpp>
#include <assay/base/random.hpp>

namespace assay::verify {

namespace {

std::size_t align(std::size_t offset) {
  return (offset + Layout::kAlignment - 1) / Layout::kAlignment * Layout::kAlignment;
}

base::Result<Place> place_tensor(const std::string& name, const task::TensorSpec& spec, const task::AxisValues& axes,
                                 std::size_t& end) {
  Place place;
  place.name = name;
  place.dtype = spec.dtype;
  ASSAY_TRY_ASSIGN(place.shape, task::resolve_shape(spec, axes));
  place.bytes = tensor::byte_size(spec.dtype, tensor::element_count(place.shape));
  place.offset = align(end + Layout::kGuardBand);
  end = place.offset + place.bytes;
  return place;
}

// Fills whole and partial words: an output's size need not be a multiple of four. Past the caches where the processor
// can: the lines are about to be evicted, and reading them first takes as long again.
void fill_words(std::span<std::byte> bytes, std::uint32_t word) {
  const std::size_t whole = bytes.size() / sizeof word;
  std::size_t i = 0;
#if defined(__SSE2__)
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(__m128i) == 0) {
    const __m128i words = _mm_set1_epi32(static_cast<int>(word));
    for (; i + 4 <= whole; i += 4) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(bytes.data() + i * sizeof word), words);
    }
    _mm_sfence();
  }
#endif
  for (; i < whole; ++i) {
    std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
  }
  std::memcpy(bytes.data() + whole * sizeof word, &word, bytes.size() % sizeof word);
}

// Large tensors in pieces of whole words: one thread alone does not get all of the memory's bandwidth.
void fill_in_parallel(std::span<std::byte> bytes, std::uint32_t word) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  base::parallel_for((bytes.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    fill_words(bytes.subspan(piece * kPiece, std::min(kPiece, bytes.size() - piece * kPiece)), word);
  });
}

}  // namespace

Layout shifted(Layout layout, std::size_t bytes) {
  ASSAY_CHECK(bytes % Layout::kAlignment == 0);
  for (std::optional<Place>& place : layout.inputs) {
    if (place) {
      place->offset += bytes;
    }
  }
  for (Place& place : layout.outputs) {
    place.offset += bytes;
  }
  layout.inputs_size += bytes;
  layout.outputs_size += bytes;
  return layout;
}

base::Result<Layout> make_layout(const task::Definition& definition, const task::Workload& workload) {
  ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition, workload.axes));
  Layout layout;
  std::size_t inputs_end = 0;
  for (const auto& [name, spec] : definition.inputs) {
    if (!spec.shape) {
      layout.inputs.emplace_back(std::nullopt);
      continue;
    }
    ASSAY_TRY_ASSIGN(Place place, place_tensor(name, spec, axes, inputs_end));
    layout.inputs.emplace_back(std::move(place));
  }
  std::size_t outputs_end = 0;
  for (const auto& [name, spec] : definition.outputs) {
    if (!spec.shape) {
      return base::input_error("verify.scalar_output",
                               fmt::format("output '{}' of {} has no shape: give it one, [] for "
                                           "a single element",
                                           name, definition.name));
    }
    ASSAY_TRY_ASSIGN(Place place, place_tensor(name, spec, axes, outputs_end));
    layout.outputs.push_back(std::move(place));
  }
  layout.inputs_size = align(inputs_end) + Layout::kGuardBand;
  layout.outputs_size = align(outputs_end) + Layout::kGuardBand;
  return layout;
}

namespace {

base::Result<operators::Scalar> scalar_argument(const task::Workload& workload, const std::string& name) {
  const task::InputSpec* spec = task::find(workload.inputs, name);
  const auto* scalar = spec == nullptr ? nullptr : std::get_if<task::ScalarInput>(spec);
  if (scalar == nullptr) {
    return base::input_error("verify.scalar_missing", fmt::format("workload {}: /inputs/{} must be {{\"type\": "
                                                                  "\"scalar\", \"value\": …}}",
                                                                  workload.uuid, name));
  }
  return operators::Scalar(scalar->value);
}

}  // namespace

base::Result<std::vector<operators::Argument>> input_arguments(const task::Definition& definition,
                                                               const task::Workload& workload, const Layout& layout,
                                                               std::span<std::byte> memory) {
  std::vector<operators::Argument> arguments;
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    const std::string& name = definition.inputs[i].first;
    if (const std::optional<Place>& place = layout.inputs[i]) {
      arguments.emplace_back(
          tensor::View{name, place->dtype, place->shape, memory.subspan(place->offset, place->bytes)});
      continue;
    }
    ASSAY_TRY_ASSIGN(const operators::Scalar scalar, scalar_argument(workload, name));
    arguments.emplace_back(scalar);
  }
  return arguments;
}

base::Result<void> restore_scalars(const task::Definition& definition, const task::Workload& workload,
                                   std::span<operators::Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::holds_alternative<operators::Scalar>(arguments[i])) {
      ASSAY_TRY_ASSIGN(arguments[i], scalar_argument(workload, definition.inputs[i].first));
    }
  }
  return {};
}

tensor::ConstView output_view(const Place& place, std::span<const std::byte> memory) {
  return {place.name, place.dtype, place.shape, memory.subspan(place.offset, place.bytes)};
}

Poison Poison::draw(std::uint64_t seed, std::uint64_t call) {
  base::Philox random(seed, base::mix(base::stream_id("poison"), call));
  const std::uint32_t bits = random.next_u32();
  // 0x7fc0…0x7fff in both halves: a quiet NaN as float32 and as bfloat16; 0x4e40…0x4e7f: about 1e9 in both, 25.0 or more
  // as float16; 0x3f80…0x3fbf: 1 to 1.5 in both, about 1.9 as float16.
  constexpr std::array<std::uint32_t, 3> kBases = {0x7fc07fc0U, 0x4e404e40U, 0x3f803f80U};
  return {kBases[random.next_below(kBases.size())] | (bits & 0x003f003fU)};
}

std::vector<GuardBand> guard_bands(const Layout& layout) {
  std::vector<GuardBand> bands;
  std::size_t start = 0;
  for (const Place& place : layout.outputs) {
    bands.push_back({start, place.offset});
    start = place.offset + place.bytes;
  }
  bands.push_back({start, layout.outputs_size});
  return bands;
}

std::uint32_t draw_canary(std::uint64_t seed, std::uint64_t call) {
  base::Philox random(seed, base::mix(base::stream_id("canary"), call));
  return random.next_u32();
}

task::Finding guard_overwritten(const Layout& layout, std::size_t offset) {
  const Located located = locate(layout, true, static_cast<std::int64_t>(offset));
  task::Finding finding;
  finding.kind = "guard_overwritten";
  finding.tensor = located.tensor;
  finding.index = located.index;
  finding.message = fmt::format("it wrote outside its outputs: {}", located.text);
  return finding;
}

OutputGuard::OutputGuard(const Layout& layout, std::span<std::byte> memory, std::uint64_t seed, std::uint64_t call,
                         bool poisons)
    : OutputGuard(layout, memory, Poison::draw(seed, call), draw_canary(seed, call)) {
  for (const Place& place : layout.outputs) {
    if (poisons) {
      fill_in_parallel(memory_.subspan(place.offset, place.bytes), poison_.word);
    }
  }
  for (const auto& [begin, end] : guard_bands(layout)) {
    fill_words(memory_.subspan(begin, end - begin), canary_);
  }
}

OutputGuard OutputGuard::of_prepared(const Layout& layout, std::span<std::byte> memory, std::uint64_t seed,
                                     std::uint64_t call) {
  return {layout, memory, Poison::draw(seed, call), draw_canary(seed, call)};
}

std::optional<task::Finding> OutputGuard::check() const {
  for (const auto& [begin, end] : guard_bands(*layout_)) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t shift = 8 * ((i - begin) % sizeof canary_);
      if (memory_[i] != static_cast<std::byte>((canary_ >> shift) & 0xffU)) {
        return guard_overwritten(*layout_, i);
      }
    }
  }
  return std::nullopt;
}

bool OutputGuard::untouched(const Place& place, std::size_t flat) const {
  const std::size_t size = tensor::byte_size(place.dtype, 1);
  for (std::size_t i = flat * size; i < (flat + 1) * size; ++i) {
    const auto expected = static_cast<std::byte>((poison_.word >> (8 * (i % sizeof poison_.word))) & 0xffU);
    if (memory_[place.offset + i] != expected) {
      return false;
    }
  }
  return true;
}

Located locate(const Layout& layout, bool outputs, std::int64_t offset) {
  std::vector<const Place*> places;
  if (outputs) {
    for (const Place& place : layout.outputs) {
      places.push_back(&place);
    }
  } else {
    for (const std::optional<Place>& place : layout.inputs) {
      if (place) {
        places.push_back(&*place);
      }
    }
  }
  Located located;
  // The tensor that the address is in, or else the nearest one.
  std::int64_t nearest_distance = 0;
  for (const Place* place : places) {
    const auto start = static_cast<std::int64_t>(place->offset);
    const auto end = start + static_cast<std::int64_t>(place->bytes);
    const auto size = static_cast<std::int64_t>(std::max<std::size_t>(tensor::byte_size(place->dtype, 1), 1));
    if (offset >= start && offset < end) {
      const auto flat = static_cast<std::size_t>((offset - start) / size);
      located.tensor = place->name;
      located.index = tensor::unravel(flat, place->shape);
      located.inside = true;
      located.text = place->name + tensor::to_string(*located.index);
      return located;
    }
    const std::int64_t distance = offset < start ? start - offset : offset - end + 1;
    if (located.tensor.empty() || distance < nearest_distance) {
      nearest_distance = distance;
      located.tensor = place->name;
      const bool before = offset < start;
      const std::int64_t elements = (distance + size - 1) / size;
      located.text =
          fmt::format("element {} {} {}", elements, before ? "before the start of" : "past the end of", place->name);
    }
  }
  return located;
}

}  // namespace assay::verify
