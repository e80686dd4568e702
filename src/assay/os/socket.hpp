#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>

namespace assay::os {

/// Makes a connected pair of stream sockets (AF_UNIX), both close-on-exec.
[[nodiscard]] base::Result<std::pair<Fd, Fd>> socket_pair();

/// How a bounded send or receive ended.
enum class Transfer : std::uint8_t { done, closed, timed_out };

/// Sends all bytes within the limit, passing the descriptors with the first byte (SCM_RIGHTS). Never raises
/// SIGPIPE.
[[nodiscard]] base::Result<Transfer> send_all(const Fd& socket, std::span<const std::byte> bytes,
                                              std::span<const int> descriptors, std::chrono::nanoseconds limit);

/// Receives exactly bytes.size() bytes within the limit. Descriptors that arrive are appended to
/// `descriptors`, or closed if it is null or already holds `most_descriptors`. For the first `spin` it asks again and
/// again instead of sleeping: being woken takes longer, and less evenly, than what somebody may be timing.
[[nodiscard]] base::Result<Transfer> receive_all(const Fd& socket, std::span<std::byte> bytes,
                                                 std::vector<Fd>* descriptors, std::size_t most_descriptors,
                                                 std::chrono::nanoseconds limit,
                                                 std::chrono::nanoseconds spin = std::chrono::nanoseconds(0));

}  // namespace assay::os
