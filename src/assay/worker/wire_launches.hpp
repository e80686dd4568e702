#pragma once

#include <assay/worker/protocol.hpp>
#include <assay/worker/wire.hpp>

namespace assay::worker {

/// The end of a call's message: scratch memory and launches.
void encode_launches(WireWriter& writer, const Call& call);
/// Returns false if they are not well formed: a tensor that is none of the call's, an offset beyond the scratch memory,
/// a value whose size is not 1, 4 or 8 or that has bits beyond it, an extent of 0.
[[nodiscard]] bool decode_launches(WireReader& reader, Call& call);

}  // namespace assay::worker
