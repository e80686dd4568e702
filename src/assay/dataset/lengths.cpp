#include <assay/dataset/lengths.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/dataset/blob.hpp>
#include <assay/task/decoder.hpp>

namespace assay::dataset {
namespace {

using Kind = StructuralInput::Kind;

struct Known {
  std::string_view name;
  Kind kind;
  std::size_t rank;
};

constexpr std::array<Known, 3> kKnown = {{
    {"seq_lens", Kind::lengths, 1},
    {"cu_seqlens", Kind::boundaries, 1},
    {"sparse_indices", Kind::indices, 2},
}};

std::optional<std::int64_t> axis(const task::AxisValues& axes, std::string_view name) {
  const std::int64_t* value = task::find(axes, name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

// How many tokens there are pages for, by the axis that counts the pages; nullopt if the definition has no pages.
std::optional<std::int64_t> page_tokens(const task::AxisValues& axes, std::string_view pages) {
  const auto count = axis(axes, pages);
  const auto size = axis(axes, "page_size");
  std::int64_t tokens = 0;
  if (!count || !size || __builtin_mul_overflow(*count, *size, &tokens)) {
    return std::nullopt;
  }
  return tokens;
}

const task::TensorSpec& spec_of(const task::Definition& definition, const StructuralInput& input) {
  const task::TensorSpec* spec = task::find(definition.inputs, input.name);
  ASSAY_CHECK(spec != nullptr);
  return *spec;
}

tensor::Shape shape_of(const task::Definition& definition, const task::AxisValues& axes, const StructuralInput& input) {
  const auto shape = task::resolve_shape(spec_of(definition, input), axes);
  ASSAY_CHECK(shape.has_value());
  return *shape;
}

// The longest that one row can be.
std::optional<std::int64_t> longest(const task::Definition& definition, const task::AxisValues& axes,
                                    const StructuralInput& input) {
  switch (input.kind) {
    case Kind::lengths:
      return page_tokens(axes, "max_num_pages");
    case Kind::boundaries:
      return axis(axes, "total_seq_len");
    case Kind::indices:
      return shape_of(definition, axes, input)[1];
  }
  return std::nullopt;
}

std::vector<std::int64_t> integers(std::span<const std::byte> contents, tensor::DType dtype) {
  const std::size_t size = tensor::byte_size(dtype, 1);
  std::vector<std::int64_t> values(contents.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (dtype == tensor::DType::int64) {
      std::memcpy(&values[i], contents.data() + i * size, size);
    } else {
      std::int32_t value = 0;
      std::memcpy(&value, contents.data() + i * size, size);
      values[i] = value;
    }
  }
  return values;
}

tl::expected<std::vector<std::int64_t>, std::string> from_boundaries(const std::vector<std::int64_t>& values) {
  if (values.empty()) {
    return tl::unexpected(std::string("is empty, and must begin with 0"));
  }
  if (values.front() != 0) {
    return tl::unexpected(fmt::format("[0] is {}, and must be 0", values.front()));
  }
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1]) {
      return tl::unexpected(fmt::format("[{}] is {}, less than the {} before it", i, values[i], values[i - 1]));
    }
    lengths.push_back(values[i] - values[i - 1]);
  }
  return lengths;
}

tl::expected<std::vector<std::int64_t>, std::string> from_indices(const std::vector<std::int64_t>& values,
                                                                  std::int64_t width,
                                                                  std::optional<std::int64_t> tokens) {
  std::vector<std::int64_t> lengths;
  const auto columns = static_cast<std::size_t>(width);
  for (std::size_t i = 0; columns > 0 && i < values.size(); ++i) {
    if (i % columns == 0) {
      lengths.push_back(0);
    }
    if (values[i] < -1 || (tokens && values[i] >= *tokens)) {
      return tl::unexpected(fmt::format("[{}, {}] is {}, and must be -1 or the id of a token{}", i / columns,
                                        i % columns, values[i],
                                        tokens ? fmt::format(" below {}", *tokens) : std::string()));
    }
    lengths.back() += values[i] >= 0 ? 1 : 0;
  }
  return lengths;
}

struct LengthsLine {
  std::string uuid;
  std::vector<std::int64_t> lengths;
};

base::Result<LengthsLine> read_lengths_line(const std::string& text, const std::string& source) {
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(text, source));
  return task::as_result(task::decode_whole(json, task::Coercion::strict,
                                            [](const task::Node& node) {
                                              LengthsLine line;
                                              task::Fields fields(node);
                                              line.uuid = fields.required("uuid").text(task::TextRule::non_empty);
                                              line.lengths = fields.required("lengths").integers({.minimum = 0}, 1);
                                              fields.refuse_others();
                                              return line;
                                            }),
                         source);
}

// One dataset's lengths on their way into its workloads.
class Application {
 public:
  Application(const os::Path& root, const task::Definition& definition, WorkloadFile& workloads)
      : root_(root), definition_(definition), workloads_(workloads), input_(structural_input(definition)) {}

  void from_file(const os::Path& path) {
    if (!input_) {
      std::vector<std::string> names;
      for (const Known& known : kKnown) {
        names.emplace_back(known.name);
      }
      problem(path.string(),
              fmt::format("{} has none of the inputs {}: remove the file", definition_.name, base::join(names, ", ")));
      return;
    }
    const auto text = os::read_file(path);
    if (!text) {
      workloads_.problems.push_back(text.error());
      return;
    }
    std::size_t number = 0;
    for (const std::string& line : base::split(*text, '\n')) {
      ++number;
      if (!base::trim(line).empty()) {
        take_line(line, path.string(), number);
      }
    }
  }

  void from_blobs() {
    for (DatasetWorkload& one : workloads_.workloads) {
      if (!input_) {
        return;
      }
      if (one.lengths == LengthsSource::none) {
        one.lengths = LengthsSource::generated;
      }
      const auto* place = std::get_if<task::SafetensorsInput>(task::find(one.workload.inputs, input_->name));
      if (place == nullptr || !blob_exists(root_, *place)) {
        continue;
      }
      auto lengths = read_blob(one.workload, *place);
      if (!lengths) {
        workloads_.problems.push_back(std::move(lengths.error()));
        continue;
      }
      one.workload.lengths = std::move(*lengths);
      one.lengths = LengthsSource::blob;
    }
  }

 private:
  void problem(const std::string& source, const std::string& what) {
    workloads_.problems.push_back(
        {base::Owner::input, "dataset.lengths", fmt::format("{}: {}", source, base::printable(what)), {}});
  }

  void take_line(const std::string& text, const std::string& path, std::size_t number) {
    const std::string source = fmt::format("{}:{}", path, number);
    auto line = read_lengths_line(text, source);
    if (!line) {
      workloads_.problems.push_back(std::move(line.error()));
      return;
    }
    const auto found = std::find_if(workloads_.workloads.begin(), workloads_.workloads.end(),
                                    [&](const DatasetWorkload& one) { return one.workload.uuid == line->uuid; });
    if (found == workloads_.workloads.end()) {
      problem(source, fmt::format("/uuid: \"{}\" is no workload of {}: remove the line or correct it", line->uuid,
                                  definition_.name));
      return;
    }
    const auto [earlier, added] = lines_.emplace(line->uuid, number);
    if (!added) {
      problem(source,
              fmt::format("/uuid: \"{}\" is that of {}:{} too: remove one line", line->uuid, path, earlier->second));
      return;
    }
    const auto axes = task::resolve_axes(definition_, found->workload.axes);
    ASSAY_CHECK(axes.has_value());
    if (const auto fault = lengths_fault(definition_, *axes, *input_, line->lengths)) {
      problem(source, fmt::format("workload {}: /lengths: {}: correct them or remove the line", line->uuid, *fault));
      return;
    }
    found->workload.lengths = std::move(line->lengths);
    found->lengths = LengthsSource::file;
  }

  base::Result<std::vector<std::int64_t>> read_blob(const task::Workload& workload,
                                                    const task::SafetensorsInput& place) const {
    const BlobUse use = {workload.uuid, input_->name};
    ASSAY_TRY_ASSIGN(const Blob blob, open_blob(root_, use, place));
    ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition_, workload.axes));
    ASSAY_TRY_ASSIGN(const tensor::SafetensorsEntry* entry,
                     find_tensor(blob, use, place, spec_of(definition_, *input_), axes));
    ASSAY_TRY_ASSIGN(const std::vector<std::byte> contents, read_tensor(blob, *entry));
    auto lengths = lengths_of(definition_, axes, *input_, contents);
    if (!lengths) {
      return base::input_error(
          "blob.contents",
          fmt::format("{}: workload {}: /inputs/{}: \"{}\" {}: fetch or write the file anew", blob.file.path().string(),
                      workload.uuid, input_->name, base::printable(entry->name), lengths.error()));
    }
    return std::move(*lengths);
  }

  const os::Path& root_;
  const task::Definition& definition_;
  WorkloadFile& workloads_;
  std::optional<StructuralInput> input_;
  std::map<std::string, std::size_t> lines_;
};

}  // namespace

std::optional<StructuralInput> structural_input(const task::Definition& definition) {
  for (const Known& known : kKnown) {
    const task::TensorSpec* spec = task::find(definition.inputs, known.name);
    if (spec != nullptr && spec->shape && spec->shape->size() == known.rank &&
        (spec->dtype == tensor::DType::int32 || spec->dtype == tensor::DType::int64)) {
      return StructuralInput{std::string(known.name), known.kind};
    }
  }
  return std::nullopt;
}

std::optional<std::string> lengths_fault(const task::Definition& definition, const task::AxisValues& axes,
                                         const StructuralInput& input, std::span<const std::int64_t> lengths) {
  const std::int64_t extent = shape_of(definition, axes, input)[0];
  const std::int64_t count = input.kind == Kind::boundaries ? extent - 1 : extent;
  if (static_cast<std::int64_t>(lengths.size()) != count) {
    return fmt::format("are {}, but the axes make {} rows or sequences of {}", lengths.size(), count, input.name);
  }
  const std::optional<std::int64_t> given = longest(definition, axes, input);
  const std::int64_t most = std::min(given.value_or(task::kLongestLength), task::kLongestLength);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) {
      return fmt::format("[{}] is {}, and no length is negative", i, lengths[i]);
    }
    if (lengths[i] > most) {
      return fmt::format("[{}] is {}, but {} at most", i, lengths[i],
                         given ? fmt::format("the axes allow {}", most) : fmt::format("a length is {}", most));
    }
    total = std::min(total, std::numeric_limits<std::int64_t>::max() - lengths[i]) + lengths[i];
  }
  if (input.kind == Kind::boundaries && given && total != *given) {
    return fmt::format("are {} in sum, but total_seq_len is {}", total, *given);
  }
  return std::nullopt;
}

tl::expected<std::vector<std::int64_t>, std::string> lengths_of(const task::Definition& definition,
                                                                const task::AxisValues& axes,
                                                                const StructuralInput& input,
                                                                std::span<const std::byte> contents) {
  using Lengths = tl::expected<std::vector<std::int64_t>, std::string>;
  const std::vector<std::int64_t> values = integers(contents, spec_of(definition, input).dtype);
  Lengths lengths = input.kind == Kind::boundaries ? from_boundaries(values)
                    : input.kind == Kind::indices
                        ? from_indices(values, shape_of(definition, axes, input)[1], page_tokens(axes, "num_pages"))
                        : Lengths(values);
  if (lengths) {
    if (const auto fault = lengths_fault(definition, axes, input, *lengths)) {
      return tl::unexpected("has lengths that are wrong: " + *fault);
    }
  }
  return lengths;
}

void apply_lengths(const os::Path& root, const os::Path& lengths_file, const task::Definition& definition,
                   WorkloadFile& workloads) {
  Application application(root, definition, workloads);
  if (!lengths_file.empty()) {
    application.from_file(lengths_file);
  }
  application.from_blobs();
}

}  // namespace assay::dataset
