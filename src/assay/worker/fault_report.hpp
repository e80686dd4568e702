#pragma once

#include <cstddef>
#include <cstdint>

#include <assay/worker/protocol.hpp>

namespace assay::worker {

/// Makes fatal signals (SEGV, BUS, FPE, ILL, ABRT) say where they happened before they end the process: a Fault frame
/// on the protocol socket, then the signal's own action. A candidate can undo this; it then merely loses the diagnosis
/// that would have helped its author.
void install_fault_handlers();

/// Tells the handlers which command is being served, so that the frame can answer it.
void announce_command(std::uint32_t sequence, std::uint64_t nonce);

/// Tells the handlers where a shared memory is mapped, with `guard` inaccessible bytes on both sides.
void announce_memory(Memory memory, const std::byte* start, std::size_t size, std::size_t guard);

}  // namespace assay::worker
