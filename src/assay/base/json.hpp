#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>

namespace assay::base {

/// Our JSON value. Objects keep the order of their keys: the order of a definition's inputs is its calling order. Only
/// .cpp files include the full <nlohmann/json.hpp>: it costs 1.5 s a translation unit.
using Json = nlohmann::ordered_json;

/// Parses one JSON document. `source` names it in errors (a path, or what it is). Refused although the library would
/// not: more than 200 levels (it recurses) and a key twice in one object (it lets the last win). Bytes that are not
/// UTF-8 and numbers beyond a double's range are errors too. All errors are the input's.
[[nodiscard]] Result<Json> parse_json(std::string_view text, std::string_view source);

/// Writes compact JSON, keys in their order; bytes that are not UTF-8 become U+FFFD (compiler logs hold such bytes).
/// JSON has no NaN and no infinity: both are written as null, so writers must say what they mean instead.
[[nodiscard]] std::string dump_compact(const Json& value);

/// Writes JSON for people: two spaces of indent.
[[nodiscard]] std::string dump_pretty(const Json& value);

/// Escapes one reference token of a JSON pointer: ~ becomes ~0 and / becomes ~1 (RFC 6901).
[[nodiscard]] std::string pointer_token(std::string_view key);

}  // namespace assay::base
