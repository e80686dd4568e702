#include <assay/device/cuda/cupti.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>

#include <assay/base/text.hpp>

#include <assay/os/library.hpp>

namespace assay::device::cuda {

namespace {

constexpr std::array<const char*, 2> kNames = {"libcupti.so.13", "libcupti.so.12"};
constexpr std::array<const char*, 7> kFolders = {"/usr/local/cuda/lib64",
                                                 "/usr/local/cuda/extras/CUPTI/lib64",
                                                 "/usr/local/cuda/targets/x86_64-linux/lib",
                                                 "/usr/local/cuda/lib",
                                                 "/usr/lib/x86_64-linux-gnu",
                                                 "/usr/lib64",
                                                 "/usr/lib"};
// What CUPTI is linked with beyond what a candidate's sandbox has anyway.
constexpr const char* kNeeds = "libutil.so.1";
constexpr std::array<const char*, 4> kSystemFolders = {"/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"};
constexpr const char* kRemedy =
    "install the CUDA toolkit's CUPTI, set ASSAY_CUPTI to the folder that holds it, or time by events";
// Some hundred records. Small, because CUPTI clears each buffer, in whatever thread asks for it.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10U;

// What CUPTI's callbacks, which carry no pointer of ours, deliver: of the whole process.
struct Delivery {
  std::mutex mutex;
  std::vector<ActivitySpan> spans;
  bool lost = false;
  cupti_abi::Result (*next)(std::uint8_t*, std::size_t, void**) = nullptr;
  cupti_abi::Result (*dropped)(void*, std::uint32_t, std::size_t*) = nullptr;
};

Delivery& delivery() {
  static auto* once = new Delivery;  // CUPTI's threads may still deliver while the process ends.
  return *once;
}

void buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(
      ::operator new(kBufferBytes, std::align_val_t{cupti_abi::kRecordAlignment}, std::nothrow));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // As many as fit.
}

void take_record(Delivery& to, const void* where) {
  cupti_abi::Record record{};
  std::memcpy(&record, where, sizeof record);
  const auto kind = static_cast<int>(record.kind);
  if (kind != cupti_abi::kKindKernel && kind != cupti_abi::kKindCopy && kind != cupti_abi::kKindFill) {
    return;
  }
  if (record.start == 0 || record.end < record.start) {
    to.lost = true;
    return;
  }
  to.spans.push_back({record.start, record.end});
}

void buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t /*size*/,
                      std::size_t valid_size) {
  Delivery& to = delivery();
  const std::scoped_lock lock(to.mutex);
  void* record = nullptr;
  cupti_abi::Result got = cupti_abi::kSuccess;
  while (valid_size > 0 && (got = to.next(buffer, valid_size, &record)) == cupti_abi::kSuccess) {
    take_record(to, record);
  }
  std::size_t dropped = 0;
  if ((got != cupti_abi::kSuccess && got != cupti_abi::kNoMoreRecords) ||
      to.dropped(context, stream, &dropped) != cupti_abi::kSuccess || dropped > 0) {
    to.lost = true;
  }
  ::operator delete(buffer, std::align_val_t{cupti_abi::kRecordAlignment});
}

void on_callback(void* /*user*/, int /*domain*/, std::uint32_t /*id*/, const void* /*data*/) {}

}  // namespace

struct Cupti::Table {
  cupti_abi::Result (*cuptiSubscribe)(void**, cupti_abi::Callback, void*);
  cupti_abi::Result (*cuptiGetResultString)(cupti_abi::Result, const char**);
  cupti_abi::Result (*cuptiActivityRegisterCallbacks)(cupti_abi::BufferRequested, cupti_abi::BufferCompleted);
  cupti_abi::Result (*cuptiActivityEnable)(int);
  cupti_abi::Result (*cuptiActivityFlushAll)(std::uint32_t);
  cupti_abi::Result (*cuptiActivityGetNextRecord)(std::uint8_t*, std::size_t, void**);
  cupti_abi::Result (*cuptiActivityGetNumDroppedRecords)(void*, std::uint32_t, std::size_t*);
  cupti_abi::Result (*cuptiGetTimestamp)(std::uint64_t*);

  [[nodiscard]] base::Result<void> check(cupti_abi::Result result, const char* call) const {
    if (result == cupti_abi::kSuccess) {
      return {};
    }
    const char* words = nullptr;
    cuptiGetResultString(result, &words);
    return base::environment_error(
        "cuda.cupti",
        fmt::format(
            "{}: {}{}", call, words == nullptr ? std::to_string(result) : std::string(words),
            result == cupti_abi::kAnotherSubscriber ? ": end the profiler or debugger that uses CUPTI already" : ""));
  }

  static base::Result<Table> open() {
    void* library = nullptr;
    for (const char* name : kNames) {
      library = library == nullptr ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : library;  // Never closed.
    }
    if (library == nullptr) {
      const char* words = dlerror();
      return base::environment_error("cuda.cupti",
                                     fmt::format("CUPTI cannot be opened ({}): {}",
                                                 words == nullptr ? kNames.front() : base::printable(words), kRemedy));
    }
    Table table{};
    os::FunctionFinder finder(library);
#define ASSAY_FIND(name) finder.find(table.name, #name)
    ASSAY_FIND(cuptiSubscribe);
    ASSAY_FIND(cuptiGetResultString);
    ASSAY_FIND(cuptiActivityRegisterCallbacks);
    ASSAY_FIND(cuptiActivityEnable);
    ASSAY_FIND(cuptiActivityFlushAll);
    ASSAY_FIND(cuptiActivityGetNextRecord);
    ASSAY_FIND(cuptiActivityGetNumDroppedRecords);
    ASSAY_FIND(cuptiGetTimestamp);
#undef ASSAY_FIND
    if (!finder.missing().empty()) {
      return base::environment_error("cuda.cupti", fmt::format("CUPTI has no {}: {}", finder.missing(), kRemedy));
    }
    return table;
  }

  // Subscribing comes first: it is refused where a profiler is at work, which would get our records or lose its own.
  [[nodiscard]] base::Result<void> start() const {
    delivery().next = cuptiActivityGetNextRecord;
    delivery().dropped = cuptiActivityGetNumDroppedRecords;
    void* subscriber = nullptr;
    ASSAY_TRY(check(cuptiSubscribe(&subscriber, &on_callback, nullptr), "cuptiSubscribe"));
    ASSAY_TRY(
        check(cuptiActivityRegisterCallbacks(&buffer_requested, &buffer_completed), "cuptiActivityRegisterCallbacks"));
    for (const int kind : {cupti_abi::kKindKernel, cupti_abi::kKindCopy, cupti_abi::kKindFill}) {
      ASSAY_TRY(check(cuptiActivityEnable(kind), "cuptiActivityEnable"));
    }
    return {};
  }
};

Cupti::Cupti(const Table& table) : table_(std::make_shared<const Table>(table)) {}

base::Result<Cupti*> Cupti::open() {
  static const base::Result<Cupti*> once = []() -> base::Result<Cupti*> {
    ASSAY_TRY_ASSIGN(const Table table, Table::open());
    ASSAY_TRY(table.start());
    return new Cupti(table);
  }();
  return once;
}

cupti_abi::Result Cupti::drain() { return table_->cuptiActivityFlushAll(0); }

cupti_abi::Result Cupti::begin() {
  if (const cupti_abi::Result drained = drain(); drained != cupti_abi::kSuccess) {
    return drained;
  }
  {
    Delivery& from = delivery();
    const std::scoped_lock lock(from.mutex);
    from.spans.clear();
    from.lost = false;
  }
  return table_->cuptiGetTimestamp(&since_);
}

cupti_abi::Result Cupti::finish(std::vector<ActivitySpan>& spans) {
  if (const cupti_abi::Result drained = drain(); drained != cupti_abi::kSuccess) {
    return drained;
  }
  Delivery& from = delivery();
  const std::scoped_lock lock(from.mutex);
  // A record of before that was delivered late ended before the device was waited for, microseconds before `since_`.
  std::copy_if(from.spans.begin(), from.spans.end(), std::back_inserter(spans),
               [&](const ActivitySpan& span) { return span.end > since_; });
  from.spans.clear();
  return from.lost ? kLostRecords : cupti_abi::kSuccess;
}

base::Result<os::Path> find_cupti() {
  std::vector<os::Path> folders(kFolders.begin(), kFolders.end());
  const char* chosen = std::getenv("ASSAY_CUPTI");
  const bool is_chosen = chosen != nullptr && *chosen != '\0';
  if (is_chosen) {
    folders = {chosen};
  }
  for (const char* name : kNames) {
    for (const os::Path& folder : folders) {
      std::error_code ignored;
      if (std::filesystem::is_regular_file(folder / name, ignored)) {
        return folder / name;
      }
    }
  }
  return base::environment_error(
      "cuda.cupti",
      is_chosen ? fmt::format("the folder ASSAY_CUPTI, '{}', has no {}: correct or unset it", chosen, kNames.front())
                : fmt::format("there is no {}: {}", kNames.front(), kRemedy));
}

base::Result<void> add_cupti(WorkerAccess& access, const os::Path& library) {
  std::error_code error;
  const os::Path real = std::filesystem::canonical(library, error);
  if (error) {
    return base::environment_error("cuda.cupti",
                                   fmt::format("{} cannot be followed: {}", library.string(), error.message()));
  }
  // Under the name that it is opened by, wherever its links lead.
  access.binds.push_back({real, library, os::SandboxBind::Use::read});
  access.library_folders.push_back(library.parent_path());
  for (const char* folder : kSystemFolders) {
    const os::Path needed = os::Path(folder) / kNeeds;
    if (std::filesystem::is_regular_file(needed, error)) {
      // In the folder where it really is: /lib may be a link, inside too.
      const os::Path place = std::filesystem::canonical(folder, error) / kNeeds;
      access.binds.push_back({needed, place, os::SandboxBind::Use::read});
      break;
    }
  }
  return {};
}

}  // namespace assay::device::cuda
