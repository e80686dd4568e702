#include <assay/blob/compression.hpp>

#include <fmt/core.h>
#include <zstd.h>

#include <memory>

#include <assay/base/text.hpp>

namespace assay::blob {
namespace {

constexpr int kLevel = 3;

tl::unexpected<base::Error> corrupt(std::string_view why) {
  return base::environment_error("blob.corrupt", fmt::format("not a whole zstd frame: {}", why));
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

base::Result<std::string> compress(std::string_view content) {
  if (content.size() > kMostContentBytes) {
    return base::input_error("blob.too_large",
                             fmt::format("content of {} is more than one blob may hold ({}): split it",
                                         base::human_bytes(content.size()), base::human_bytes(kMostContentBytes)));
  }
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) {
    return base::environment_error("blob.memory", "no memory for a zstd context: free some");
  }
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), frame.data(), frame.size(), content.data(), content.size());
  if (ZSTD_isError(size) != 0) {
    return base::environment_error("blob.compress", fmt::format("zstd failed: {}", ZSTD_getErrorName(size)));
  }
  frame.resize(size);
  return frame;
}

base::Result<std::uint64_t> content_size(std::string_view frame_start) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame_start.data(), frame_start.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) {
    return corrupt("its header is damaged or cut off");
  }
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return corrupt("its header does not tell the size");
  }
  return size;
}

base::Result<std::string> decompress(std::string_view frame, std::uint64_t limit) {
  ASSAY_TRY_ASSIGN(const std::uint64_t size, content_size(frame));
  if (size > limit) {
    return corrupt(
        fmt::format("its header tells {}, above the limit of {}", base::human_bytes(size), base::human_bytes(limit)));
  }
  const std::size_t length = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(length) != 0) {
    return corrupt(ZSTD_getErrorName(length));
  }
  // ZSTD_decompress would take several frames one after the other: then a blob would have many encodings.
  if (length != frame.size()) {
    return corrupt("bytes follow its end");
  }
  std::string content(size, '\0');
  const std::size_t got = ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0) {
    return corrupt(ZSTD_getErrorName(got));
  }
  if (got != size) {
    return corrupt("it ends before the size that its header tells");
  }
  return content;
}

}  // namespace assay::blob
