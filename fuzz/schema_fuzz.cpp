#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/base/json.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

// Any bytes through every decoder. Whatever one accepts must be written and read again as the same document, also
// through text; whatever it refuses must be refused with a reason.
namespace assay::task {
namespace {

using base::Json;

Json through_text(const Json& json) { return base::parse_json(base::dump_compact(json), "written").value(); }

template <class T>
void check_same(const T& value, const Json& written, const base::Json& rewritten) {
  ASSAY_CHECK(base::dump_compact(written) == base::dump_compact(rewritten));
  ASSAY_CHECK(base::dump_compact(encode(value)) == base::dump_compact(written));
}

template <class Decode>
void check_schema(const Json& json, Decode decode, Dialect dialect) {
  const auto decoded = decode(json, dialect);
  ASSAY_CHECK(decoded.value.has_value() == decoded.problems.empty());
  if (decoded.value) {
    const Json written = encode(*decoded.value);
    const auto again = decode(through_text(written), dialect);
    ASSAY_CHECK(again.value.has_value());
    check_same(*decoded.value, written, encode(*again.value));
  } else {
    ASSAY_CHECK(!problems_error("input", decoded.problems).message.empty());
  }
}

template <class Decode>
void check_document(const Json& json, Decode decode) {
  const auto decoded = decode(json, "input");
  if (decoded) {
    const Json written = encode(*decoded);
    const auto again = decode(through_text(written), "written");
    ASSAY_CHECK(again.has_value());
    check_same(*decoded, written, encode(*again));
  }
}

}  // namespace
}  // namespace assay::task

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const auto json = base::parse_json(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  if (!json) {
    return 0;
  }
  for (const task::Dialect dialect : {task::Dialect::flashinfer_bench, task::Dialect::flashinfer}) {
    task::check_schema(*json, task::decode_definition, dialect);
    task::check_schema(*json, task::decode_workload, dialect);
    task::check_schema(*json, task::decode_solution, dialect);
    task::check_schema(*json, task::decode_trace, dialect);
  }
  task::check_document(*json, task::decode_request);
  task::check_document(*json, task::decode_plan);
  task::check_document(*json, task::decode_evaluation);
  task::check_document(*json, task::decode_samples);
  return 0;
}
