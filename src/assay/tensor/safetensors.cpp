#include <assay/tensor/safetensors.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>

namespace assay::tensor {
namespace {

using base::Json;

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::size_t kAlignment = 8;

struct Word {
  std::string_view word;
  unsigned bits;
  std::string_view schema;  ///< Name of the same type in the FlashInfer-Trace schema; a DType may have it.
};

constexpr std::array<Word, 21> kWords = {{
    {"BOOL", 8, "bool"},
    {"U8", 8, "uint8"},
    {"I8", 8, "int8"},
    {"F8_E4M3", 8, "float8_e4m3fn"},
    {"F8_E5M2", 8, "float8_e5m2"},
    {"F8_E8M0", 8, "float8_e8m0fnu"},
    {"F4", 4, "float4_e2m1"},
    {"F6_E2M3", 6, "float6_e2m3"},
    {"F6_E3M2", 6, "float6_e3m2"},
    {"I16", 16, "int16"},
    {"U16", 16, "uint16"},
    {"F16", 16, "float16"},
    {"BF16", 16, "bfloat16"},
    {"I32", 32, "int32"},
    {"U32", 32, "uint32"},
    {"F32", 32, "float32"},
    {"I64", 64, "int64"},
    {"U64", 64, "uint64"},
    {"F64", 64, "float64"},
    {"C64", 64, "complex64"},
    {"C128", 128, "complex128"},
}};

template <class Match>
const Word* find_word(Match match) {
  const auto* const found = std::find_if(kWords.begin(), kWords.end(), match);
  return found == kWords.end() ? nullptr : &*found;
}

tl::unexpected<base::Error> damaged(std::string_view source, std::string_view what) {
  return base::input_error("safetensors.damaged", fmt::format("{}: {}", source, what));
}

// A fault of one place of the header.
tl::unexpected<base::Error> fault(std::string_view source, const std::string& pointer, std::string_view what) {
  return damaged(source, fmt::format("header: {}: {}: write the file anew", pointer, what));
}

std::string words() {
  std::vector<std::string> all;
  for (const Word& word : kWords) {
    all.emplace_back(word.word);
  }
  return base::join(all, ", ");
}

// The bytes of a tensor; nullopt if there are too many to count, or they are not whole.
std::optional<std::uint64_t> bytes_of(const Shape& shape, unsigned bits) {
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  std::uint64_t total = empty ? 0 : bits;
  for (const std::int64_t extent : shape) {
    if (!empty && __builtin_mul_overflow(total, static_cast<std::uint64_t>(extent), &total)) {
      return std::nullopt;
    }
  }
  return total % 8 == 0 ? std::optional(total / 8) : std::nullopt;
}

base::Result<std::uint64_t> read_count(const Json& json, const std::string& pointer, std::string_view source) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMost) {
    return fault(source, pointer, "must be a whole number from 0 to 2^63-1");
  }
  return json.get<std::uint64_t>();
}

base::Result<std::vector<std::uint64_t>> read_counts(const Json& tensor, const std::string& place, const char* field,
                                                     std::string_view source) {
  const std::string pointer = place + "/" + field;
  const auto found = tensor.find(field);
  if (found == tensor.end() || !found->is_array()) {
    return fault(source, pointer, "must be a list of whole numbers");
  }
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < found->size(); ++i) {
    ASSAY_TRY_ASSIGN(counts.emplace_back(), read_count((*found)[i], fmt::format("{}/{}", pointer, i), source));
  }
  return counts;
}

base::Result<SafetensorsEntry> read_entry(const std::string& name, const Json& json, std::string_view source) {
  const std::string place = "/" + base::pointer_token(base::printable(name));
  if (!json.is_object() || json.size() != 3) {
    return fault(source, place, "must be an object of dtype, shape and data_offsets");
  }
  SafetensorsEntry entry;
  entry.name = name;
  const auto type = json.find("dtype");
  if (type == json.end() || !type->is_string()) {
    return fault(source, place + "/dtype", "must be the name of a type");
  }
  entry.type = type->get<std::string>();
  const Word* word = find_word([&](const Word& one) { return one.word == entry.type; });
  if (word == nullptr) {
    return fault(source, place + "/dtype",
                 fmt::format("\"{}\" is no type of the format ({})", base::printable(entry.type), words()));
  }
  entry.dtype = parse_dtype(word->schema);
  ASSAY_TRY_ASSIGN(const std::vector<std::uint64_t> shape, read_counts(json, place, "shape", source));
  entry.shape.assign(shape.begin(), shape.end());
  ASSAY_TRY_ASSIGN(const std::vector<std::uint64_t> offsets, read_counts(json, place, "data_offsets", source));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return fault(source, place + "/data_offsets", "must be where the tensor's bytes begin and end");
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  const std::optional<std::uint64_t> bytes = bytes_of(entry.shape, word->bits);
  if (!bytes) {
    return fault(source, place + "/shape",
                 fmt::format("{} elements of {} bits are no whole number of bytes below 2^61",
                             tensor::to_string(entry.shape), word->bits));
  }
  if (*bytes != entry.end - entry.begin) {
    return fault(source, place + "/data_offsets",
                 fmt::format("span {} bytes, but {} of shape {} takes {}", entry.end - entry.begin, entry.type,
                             tensor::to_string(entry.shape), *bytes));
  }
  return entry;
}

base::Result<void> read_metadata(const Json& json, SafetensorsHeader& header, std::string_view source) {
  if (!json.is_object()) {
    return fault(source, "/__metadata__", "must be an object of texts");
  }
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) {
      return fault(source, "/__metadata__/" + base::pointer_token(base::printable(key)), "must be text");
    }
    header.metadata.emplace_back(key, value.get<std::string>());
  }
  return {};
}

// The tensors must cover the data from end to end: hidden bytes could be another file, shared ones another tensor.
base::Result<void> check_cover(SafetensorsHeader& header, std::string_view source) {
  std::stable_sort(header.tensors.begin(), header.tensors.end(),
                   [](const auto& a, const auto& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t covered = 0;
  for (const SafetensorsEntry& entry : header.tensors) {
    const std::string place = "/" + base::pointer_token(base::printable(entry.name)) + "/data_offsets";
    if (entry.begin < covered) {
      return fault(
          source, place,
          fmt::format("begins at byte {} and overlaps another tensor, which ends at {}", entry.begin, covered));
    }
    if (entry.begin > covered) {
      return fault(source, place, fmt::format("begins at byte {} and leaves a gap after {}", entry.begin, covered));
    }
    covered = entry.end;
  }
  if (covered > header.data_bytes) {
    return damaged(source, fmt::format("is truncated: its tensors take {} bytes after the header, and it has {}: fetch "
                                       "or write it anew",
                                       covered, header.data_bytes));
  }
  if (covered < header.data_bytes) {
    return damaged(
        source, fmt::format("has {} bytes after its last tensor: fetch or write it anew", header.data_bytes - covered));
  }
  return {};
}

}  // namespace

const SafetensorsEntry* SafetensorsHeader::find(std::string_view name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const SafetensorsEntry& entry) { return entry.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

base::Result<std::uint64_t> safetensors_header_length(std::span<const std::byte> start, std::uint64_t file_bytes,
                                                      std::string_view source) {
  if (start.size() < kSafetensorsPrefix || file_bytes < kSafetensorsPrefix) {
    return damaged(source, fmt::format("has {} bytes, too few for a safetensors file: fetch or write it anew",
                                       std::min<std::uint64_t>(start.size(), file_bytes)));
  }
  std::uint64_t length = 0;
  for (std::size_t i = kSafetensorsPrefix; i-- > 0;) {
    length = (length << 8U) | std::to_integer<std::uint64_t>(start[i]);
  }
  if (length > kSafetensorsLongestHeader) {
    return damaged(source,
                   fmt::format("is no safetensors file, or none that is read here: its first 8 bytes say that the "
                               "header has {} bytes, and {} are the most",
                               length, kSafetensorsLongestHeader));
  }
  if (length > file_bytes - kSafetensorsPrefix) {
    return damaged(source, fmt::format("is truncated: its header has {} bytes, and {} follow: fetch or write it anew",
                                       length, file_bytes - kSafetensorsPrefix));
  }
  return length;
}

base::Result<SafetensorsHeader> decode_safetensors_header(std::string_view text, std::uint64_t file_bytes,
                                                          std::string_view source) {
  if (text.empty() || text.front() != '{') {
    return damaged(source, "is no safetensors file: its header does not begin with {");
  }
  ASSAY_CHECK(file_bytes >= kSafetensorsPrefix && file_bytes - kSafetensorsPrefix >= text.size());
  const auto json = base::parse_json(text, "header");
  if (!json) {
    return damaged(source, fmt::format("is no safetensors file, or damaged: {}", json.error().message));
  }
  SafetensorsHeader header;
  header.data_begin = kSafetensorsPrefix + text.size();
  header.data_bytes = file_bytes - header.data_begin;
  for (const auto& [name, value] : json->items()) {
    if (name == kMetadata) {
      ASSAY_TRY(read_metadata(value, header, source));
    } else {
      ASSAY_TRY_ASSIGN(header.tensors.emplace_back(), read_entry(name, value, source));
    }
  }
  ASSAY_TRY(check_cover(header, source));
  return header;
}

std::span<const std::byte> SafetensorsFile::bytes(const SafetensorsEntry& entry) const {
  return data.subspan(entry.begin, entry.end - entry.begin);
}

base::Result<ConstView> SafetensorsFile::view(std::string_view name, std::string_view source) const {
  const SafetensorsEntry* entry = header.find(name);
  if (entry == nullptr) {
    return base::input_error("safetensors.key", fmt::format("{}: has no tensor \"{}\"", source, base::printable(name)));
  }
  if (!entry->dtype) {
    return base::input_error("safetensors.type",
                             fmt::format("{}: \"{}\" is of type {}, which Assay does not compute in", source,
                                         base::printable(name), entry->type));
  }
  return ConstView{entry->name, *entry->dtype, entry->shape, bytes(*entry)};
}

base::Result<SafetensorsFile> read_safetensors(std::span<const std::byte> file, std::string_view source) {
  ASSAY_TRY_ASSIGN(
      const std::uint64_t length,
      safetensors_header_length(file.first(std::min(file.size(), kSafetensorsPrefix)), file.size(), source));
  const std::span<const std::byte> text = file.subspan(kSafetensorsPrefix, length);
  SafetensorsFile result;
  ASSAY_TRY_ASSIGN(result.header, decode_safetensors_header({reinterpret_cast<const char*>(text.data()), text.size()},
                                                            file.size(), source));
  result.data = file.subspan(result.header.data_begin);
  return result;
}

base::Result<SafetensorsPreamble> plan_safetensors(std::span<const SafetensorsTensor> tensors,
                                                   const std::vector<std::pair<std::string, std::string>>& metadata) {
  std::vector<const SafetensorsTensor*> order;
  std::set<std::string_view> names = {kMetadata};
  for (const SafetensorsTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      return base::input_error(
          "safetensors.name",
          fmt::format("a safetensors file cannot have {} named \"{}\": choose another name",
                      tensor.name == kMetadata ? "a tensor" : "two tensors", base::printable(tensor.name)));
    }
    order.push_back(&tensor);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return bits(a->dtype) > bits(b->dtype); });

  SafetensorsPreamble preamble;
  SafetensorsHeader& header = preamble.header;
  header.metadata = metadata;
  Json json = Json::object();
  for (const auto& [key, value] : metadata) {
    json[kMetadata][key] = value;
  }
  for (const SafetensorsTensor* tensor : order) {
    const Word* word = find_word([&](const Word& one) { return one.schema == to_string(tensor->dtype); });
    if (word == nullptr) {
      return base::input_error(
          "safetensors.type",
          fmt::format("tensor \"{}\": the format has no {}", base::printable(tensor->name), to_string(tensor->dtype)));
    }
    const std::optional<std::uint64_t> bytes = bytes_of(tensor->shape, word->bits);
    std::uint64_t end = 0;
    if (!bytes || __builtin_add_overflow(header.data_bytes, *bytes, &end)) {
      return base::input_error(
          "safetensors.size", fmt::format("tensor \"{}\": {} elements of {} bits cannot be written",
                                          base::printable(tensor->name), tensor::to_string(tensor->shape), word->bits));
    }
    header.tensors.push_back(
        {tensor->name, std::string(word->word), tensor->dtype, tensor->shape, header.data_bytes, end});
    json[tensor->name] = {{"dtype", word->word}, {"shape", tensor->shape}, {"data_offsets", {header.data_bytes, end}}};
    header.data_bytes = end;
  }
  std::string text = base::dump_compact(json);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  for (std::size_t i = 0; i < kSafetensorsPrefix; ++i) {
    preamble.bytes += static_cast<char>((text.size() >> (8 * i)) & 0xffU);
  }
  preamble.bytes += text;
  header.data_begin = preamble.bytes.size();
  return preamble;
}

}  // namespace assay::tensor
