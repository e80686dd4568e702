#include <assay/verify/given_contents.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/os/file_stream.hpp>
#include <assay/tensor/comparison.hpp>

namespace assay::verify {
namespace {

std::string pointer_to(const task::Workload& workload, const task::GivenInput& given) {
  return fmt::format("{}: workload {}: /inputs/{}", given.file, workload.uuid, base::pointer_token(given.input));
}

tl::unexpected<base::Error> fault(std::string code, const task::Workload& workload, const task::GivenInput& given,
                                  std::string_view what) {
  return base::input_error(std::move(code), fmt::format("{}: {}", pointer_to(workload, given), what));
}

base::Result<std::size_t> position_of(const task::Definition& definition, const task::Workload& workload,
                                      const task::GivenInput& given) {
  const auto found = std::find_if(definition.inputs.begin(), definition.inputs.end(),
                                  [&](const auto& input) { return input.first == given.input; });
  if (found == definition.inputs.end() || !found->second.shape) {
    return fault("given.input", workload, given,
                 fmt::format("{} has no tensor of this name: leave it out of /given", definition.name));
  }
  return static_cast<std::size_t>(found - definition.inputs.begin());
}

base::Result<void> check_finite(const task::Workload& workload, const task::GivenInput& given,
                                const tensor::ConstView& view) {
  const std::size_t count = tensor::is_floating(view.dtype) ? tensor::element_count(view.shape) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (const double value = tensor::element(view, i); !std::isfinite(value)) {
      return fault("given.contents", workload, given,
                   fmt::format("{}{} is {}, and no captured input is: fetch or write the file anew", view.name,
                               tensor::to_string(tensor::unravel(i, view.shape)), value));
    }
  }
  return {};
}

base::Result<std::vector<std::byte>> read_input(const task::Workload& workload, const task::GivenInput& given,
                                                std::uint64_t bytes) {
  if (given.bytes != bytes) {
    return fault(
        "given.size", workload, given,
        fmt::format("{} bytes are given, and the definition says {} for the workload's axes", given.bytes, bytes));
  }
  base::Result<os::FileReader> file = os::FileReader::open(given.file);
  if (!file) {
    return base::with_context(base::Result<std::vector<std::byte>>(tl::unexpected(std::move(file.error()))),
                              fmt::format("workload {}: /inputs/{} is given by this file: put it back, or make the "
                                          "request anew",
                                          workload.uuid, base::pointer_token(given.input)));
  }
  std::vector<std::byte> contents(bytes);
  ASSAY_TRY(base::with_context(file->read_at(given.offset, contents), pointer_to(workload, given)));
  if (base::sha256(contents).hex() != given.sha256) {
    return fault("given.digest", workload, given,
                 "its bytes are no longer those that the request names: put the file back, or make the request anew");
  }
  return contents;
}

}  // namespace

base::Result<GivenContents> GivenContents::open(const operators::Operator& op, const task::Definition& definition,
                                                std::span<const task::Workload> workloads, std::uint64_t kept_bytes) {
  GivenContents contents(op, definition, workloads, kept_bytes);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    ASSAY_TRY_ASSIGN(const Kept* kept, contents.load(i));
    const task::Workload& workload = workloads[i];
    if (kept == nullptr) {
      continue;
    }
    ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition, workload.axes));
    task::Named<tensor::ConstView> views;
    for (const task::GivenInput& given : workload.given) {
      ASSAY_TRY_ASSIGN(const std::size_t position, position_of(definition, workload, given));
      const auto& [name, spec] = definition.inputs[position];
      ASSAY_TRY_ASSIGN(const tensor::Shape shape, task::resolve_shape(spec, axes));
      views.emplace_back(name, tensor::ConstView{name, spec.dtype, shape, kept->inputs[position]});
      ASSAY_TRY(check_finite(workload, given, views.back().second));
    }
    if (auto checked = op.check_given(workload, views); !checked) {
      checked.error().message = fmt::format("{}: workload {}: {}: fetch or write the file anew",
                                            workload.given.front().file, workload.uuid, checked.error().message);
      return tl::unexpected(std::move(checked.error()));
    }
  }
  return contents;
}

base::Result<const GivenContents::Kept*> GivenContents::load(std::size_t index) {
  const task::Workload& workload = workloads_[index];
  if (workload.given.empty()) {
    return nullptr;
  }
  if (const auto known = kept_.find(index); known != kept_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, known->second.used);
    return &known->second;
  }
  ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(*definition_, workload.axes));
  Kept kept;
  kept.inputs.resize(definition_->inputs.size());
  for (const task::GivenInput& given : workload.given) {
    ASSAY_TRY_ASSIGN(const std::size_t position, position_of(*definition_, workload, given));
    const task::TensorSpec& spec = definition_->inputs[position].second;
    ASSAY_TRY_ASSIGN(const tensor::Shape shape, task::resolve_shape(spec, axes));
    ASSAY_TRY_ASSIGN(kept.inputs[position],
                     read_input(workload, given, tensor::byte_size(spec.dtype, tensor::element_count(shape))));
    kept.bytes += given.bytes;
  }
  while (!by_use_.empty() && kept_now_ + kept.bytes > kept_bytes_) {
    kept_now_ -= kept_.at(by_use_.back()).bytes;
    kept_.erase(by_use_.back());
    by_use_.pop_back();
  }
  by_use_.push_front(index);
  kept.used = by_use_.begin();
  kept_now_ += kept.bytes;
  return &kept_.emplace(index, std::move(kept)).first->second;
}

base::Result<void> GivenContents::fill(operators::InputGenerator& generator, std::size_t workload, std::uint64_t call,
                                       operators::Variation variation, std::span<operators::Argument> arguments) {
  ASSAY_TRY_ASSIGN(const Kept* kept, load(workload));
  if (kept == nullptr) {
    generator.fill(workloads_[workload], call, arguments);
    return {};
  }
  operators::GivenInputs given;
  given.variation = variation;
  given.bytes.assign(kept->inputs.begin(), kept->inputs.end());
  generator.fill_given(workloads_[workload], call, given, arguments);
  return {};
}

std::string GivenContents::description() const {
  std::size_t with_files = 0;
  std::vector<std::string> names;
  for (const task::Workload& workload : workloads_) {
    with_files += workload.given.empty() ? 0U : 1U;
    for (const task::GivenInput& given : workload.given) {
      if (std::find(names.begin(), names.end(), given.input) == names.end()) {
        names.push_back(given.input);
      }
    }
  }
  if (with_files == 0) {
    return "generated";
  }
  return fmt::format("the dataset's files: {} of {} of {} workloads; others generated", base::join(names, ", "),
                     with_files, workloads_.size());
}

}  // namespace assay::verify
