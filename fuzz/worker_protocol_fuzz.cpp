// Any bytes as frames on the border, both ways: nothing is accepted that does not encode to the same bytes again.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/worker/protocol.hpp>

namespace {

using Bytes = std::vector<std::byte>;

bool same(const Bytes& a, std::span<const std::byte> b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::worker;
  const auto bytes = std::as_bytes(std::span(data, size));
  if (size >= kHeaderSize) {
    if (const auto header = decode_header(bytes.first<kHeaderSize>())) {
      std::array<std::byte, kHeaderSize> again{};
      encode_header(*header, again);
      ASSAY_CHECK(std::equal(again.begin(), again.end(), bytes.begin()));
      ASSAY_CHECK(header->payload_size <= kMaximumPayload);
    }
  }
  if (const auto call = decode_call(bytes)) {
    ASSAY_CHECK(same(encode(*call), bytes));
    ASSAY_CHECK(call->inputs.size() + call->outputs.size() <= kMaximumArguments);
    ASSAY_CHECK(call->launches.size() <= kMaximumLaunches);
  }
  if (const auto map = decode_map(bytes)) {
    ASSAY_CHECK(same(encode(*map), bytes));
  }
  if (const auto device = decode_device(bytes)) {
    ASSAY_CHECK(same(encode(*device), bytes));
  }
  if (const auto reply = decode_device_reply(bytes)) {
    ASSAY_CHECK(same(encode(*reply), bytes));
    ASSAY_CHECK(reply->text.size() <= kMaximumText);
  }
  if (const auto reply = decode_load_reply(bytes)) {
    ASSAY_CHECK(same(encode(*reply), bytes));
    ASSAY_CHECK(reply->text.size() <= kMaximumText);
  }
  if (const auto reply = decode_call_reply(bytes)) {
    ASSAY_CHECK(same(encode(*reply), bytes));
    ASSAY_CHECK(reply->idle_ns <= reply->elapsed_ns);
  }
  if (const auto series = decode_series(bytes)) {
    ASSAY_CHECK(same(encode(*series), bytes));
    ASSAY_CHECK(series->timed > 0);
  }
  if (const auto reply = decode_series_reply(bytes)) {
    ASSAY_CHECK(same(encode(*reply), bytes));
    ASSAY_CHECK(reply->elapsed_ns.size() <= kMostSeriesCalls);
  }
  if (const auto floor = decode_timing_request(bytes)) {
    ASSAY_CHECK(same(encode(*floor), bytes));
  }
  if (const auto reply = decode_floor_reply(bytes)) {
    ASSAY_CHECK(same(encode(*reply), bytes));
    ASSAY_CHECK(reply->text.size() <= kMaximumText);
  }
  if (const auto fault = decode_fault(bytes)) {
    std::array<std::byte, kFaultSize> again{};
    encode_fault(*fault, again);
    ASSAY_CHECK(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
  }
  if (const auto request = decode_load(bytes)) {
    ASSAY_CHECK(same(encode(*request), bytes));
  }
  if (const auto request = decode_load_kernels(bytes)) {
    ASSAY_CHECK(same(encode(*request), bytes));
    ASSAY_CHECK(!request->kernels.empty() && request->kernels.size() <= kMaximumLaunches);
  }
  static_cast<void>(decode_version(bytes));
  return 0;
}
