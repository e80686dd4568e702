#include <assay/evaluate/materialise.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/evaluate/bundle_draft.hpp>
#include <assay/os/file_stream.hpp>
#include <assay/task/blob_file.hpp>
#include <assay/task/bundle.hpp>
#include <assay/tensor/safetensors.hpp>
#include <assay/verify/any_operator.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {
namespace {

// Small enough that progress moves.
constexpr std::size_t kPiece = std::size_t{16} << 20U;

struct Memory {
  std::unique_ptr<void, decltype(&std::free)> owner = {nullptr, &std::free};
  std::span<std::byte> bytes;  ///< Aligned as a layout asks for.
};

// Pages that the generator leaves alone take no memory: a vector would touch them all.
base::Result<Memory> zeros(std::size_t size) {
  constexpr std::size_t kDataAlignment = verify::Layout::kAlignment;
  std::size_t room = size + kDataAlignment;
  Memory memory;
  memory.owner.reset(std::calloc(room, 1));  // NOLINT(cppcoreguidelines-no-malloc)
  void* start = memory.owner.get();
  if (start == nullptr || std::align(kDataAlignment, size, start, room) == nullptr) {
    return base::environment_error("materialise.memory", fmt::format("there is no room for inputs of {}: free some "
                                                                     "memory",
                                                                     base::human_bytes(size)));
  }
  memory.bytes = {static_cast<std::byte*>(start), size};
  return memory;
}

// The generated inputs of one workload, by name.
class Inputs {
 public:
  static base::Result<Inputs> generate(const task::EvaluationRequest& request) {
    const task::Workload& workload = request.workloads.front();
    ASSAY_TRY(task::check_workload(request.definition, workload));
    ASSAY_TRY_ASSIGN(const auto op, verify::open_operator(request.definition, request.workloads, {}));
    ASSAY_TRY_ASSIGN(const verify::Layout layout, verify::make_layout(request.definition, workload));
    Inputs inputs;
    ASSAY_TRY_ASSIGN(inputs.memory_, zeros(layout.inputs_size));
    ASSAY_TRY_ASSIGN(inputs.arguments_,
                     verify::input_arguments(request.definition, workload, layout, inputs.memory_.bytes));
    op->make_generator(*request.seed)->fill(workload, 0, inputs.arguments_);
    return inputs;
  }

  // The input must be a tensor: check_workload saw that only tensors lie in files.
  [[nodiscard]] const tensor::View& tensor(const std::string& name) const {
    const auto found = std::find_if(arguments_.begin(), arguments_.end(), [&](const operators::Argument& argument) {
      const auto* view = std::get_if<tensor::View>(&argument);
      return view != nullptr && view->name == name;
    });
    ASSAY_CHECK(found != arguments_.end());
    return std::get<tensor::View>(*found);
  }

 private:
  Memory memory_;
  std::vector<operators::Argument> arguments_;
};

// Writes files and tells how far it is.
class BlobWriter {
 public:
  BlobWriter(const task::Workload& workload, const Inputs& inputs, const JudgeSettings& settings)
      : workload_(workload), inputs_(inputs), settings_(settings) {
    for (const task::BlobFile& file : task::blob_files(workload)) {
      for (const std::string& input : file.inputs) {
        total_ += static_cast<double>(inputs.tensor(input).bytes.size());
      }
    }
  }

  base::Result<void> write(const task::BlobFile& file, const std::string& name, BundleDraft& draft) {
    std::vector<tensor::SafetensorsTensor> tensors;
    for (const std::string& input : file.inputs) {
      const tensor::View& view = inputs_.tensor(input);
      tensors.push_back({key_of(input), view.dtype, view.shape});
    }
    ASSAY_TRY_ASSIGN(const tensor::SafetensorsPreamble preamble,
                     base::with_context(tensor::plan_safetensors(tensors),
                                        fmt::format("workload {}: {}", workload_.uuid, base::printable(file.path))));
    ASSAY_TRY_ASSIGN(writer_, os::FileWriter::create(draft.path(name)));
    digest_.emplace();
    ASSAY_TRY(append(std::as_bytes(std::span(preamble.bytes))));
    for (const tensor::SafetensorsEntry& entry : preamble.header.tensors) {
      const auto input = std::find_if(file.inputs.begin(), file.inputs.end(),
                                      [&](const std::string& one) { return key_of(one) == entry.name; });
      ASSAY_TRY(append_tensor(inputs_.tensor(*input)));
    }
    ASSAY_TRY(writer_->finish(os::Durability::power));
    draft.record(name, digest_->finish(), preamble.bytes.size() + preamble.header.data_bytes);
    return {};
  }

 private:
  [[nodiscard]] const std::string& key_of(const std::string& input) const {
    return task::blob_place(workload_, input).tensor_key;
  }

  base::Result<void> append(std::span<const std::byte> bytes) {
    digest_->update(bytes);
    return writer_->append(bytes);
  }

  base::Result<void> append_tensor(const tensor::View& view) {
    for (std::size_t at = 0; at < view.bytes.size(); at += kPiece) {
      const std::span<const std::byte> piece = view.bytes.subspan(at, std::min(kPiece, view.bytes.size() - at));
      ASSAY_TRY(append(piece));
      done_ += static_cast<double>(piece.size());
      if (settings_.on_progress) {
        settings_.on_progress(done_, total_, "writing " + view.name);
      }
    }
    return {};
  }

  const task::Workload& workload_;
  const Inputs& inputs_;
  const JudgeSettings& settings_;
  double done_ = 0;
  double total_ = 0;
  std::optional<os::FileWriter> writer_;
  std::optional<base::Sha256> digest_;
};

}  // namespace

base::Result<void> materialise(const task::EvaluationRequest& request, const os::Path& bundle,
                               const JudgeSettings& settings) {
  if (request.stage != task::Stage::materialise || request.workloads.size() != 1 || !request.seed) {
    return base::internal_error("materialise.request", "a materialise request has one workload and a seed");
  }
  const task::Workload& workload = request.workloads.front();
  const std::vector<task::BlobFile> files = task::blob_files(workload);
  if (files.empty()) {
    return base::input_error("materialise.nothing",
                             fmt::format("workload {}: /inputs: none lies in a safetensors file: there is nothing to "
                                         "write",
                                         workload.uuid));
  }
  if (settings.on_progress) {
    settings.on_progress(0, 0, "generating");
  }
  ASSAY_TRY_ASSIGN(const Inputs inputs, Inputs::generate(request));
  ASSAY_TRY_ASSIGN(BundleDraft draft, BundleDraft::create(bundle));
  BlobWriter writer(workload, inputs, settings);
  for (std::size_t i = 0; i < files.size(); ++i) {
    ASSAY_TRY(writer.write(files[i], task::bundled_blob_name(i), draft));
  }
  ASSAY_TRY(draft.add(std::string(task::kRequestFile), base::dump_pretty(task::encode(request)) + "\n"));
  return draft.finish();
}

}  // namespace assay::evaluate
