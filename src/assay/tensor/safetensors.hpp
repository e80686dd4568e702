#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/tensor/view.hpp>

/// Files of the format "safetensors": eight little-endian bytes with the length of a header, the header (JSON), then
/// the data of all tensors without gaps, row-major and little-endian.
namespace assay::tensor {

/// Bytes before the header.
inline constexpr std::size_t kSafetensorsPrefix = 8;
/// The longest header that is read, in bytes: some 10,000 tensors. The format allows 100 MB, far more than the
/// inputs of a workload need.
inline constexpr std::uint64_t kSafetensorsLongestHeader = std::uint64_t{1} << 20U;

/// What the header says about one tensor.
struct SafetensorsEntry {
  std::string name;
  std::string type;            ///< The format's word: "BF16", "F8_E4M3".
  std::optional<DType> dtype;  ///< Absent if Assay has no such type.
  Shape shape;
  std::uint64_t begin = 0;  ///< Bytes [begin, end) of the data.
  std::uint64_t end = 0;
};

/// A header that was checked: extents do not overflow, and the tensors' bytes follow each other without gap or overlap
/// from the first byte of the data to the last.
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;                      ///< In the order of their bytes.
  std::vector<std::pair<std::string, std::string>> metadata;  ///< `__metadata__`.
  std::uint64_t data_begin = 0;                               ///< Where the data begin in the file.
  std::uint64_t data_bytes = 0;

  [[nodiscard]] const SafetensorsEntry* find(std::string_view name) const;
};

/// Returns the length of the header from a file's first bytes (at most kSafetensorsPrefix are looked at) and its size.
/// All errors of this and the next function are the input's, with a code "safetensors.…"; they name `source`, the place
/// and the remedy. Any bytes may be given.
[[nodiscard]] base::Result<std::uint64_t> safetensors_header_length(std::span<const std::byte> start,
                                                                    std::uint64_t file_bytes, std::string_view source);
/// Decodes the header's text. The data need not be at hand: a file of any size is checked by its header alone.
[[nodiscard]] base::Result<SafetensorsHeader> decode_safetensors_header(std::string_view header,
                                                                        std::uint64_t file_bytes,
                                                                        std::string_view source);

/// A whole file in memory that someone else owns and keeps.
struct SafetensorsFile {
  SafetensorsHeader header;
  std::span<const std::byte> data;

  [[nodiscard]] std::span<const std::byte> bytes(const SafetensorsEntry& entry) const;
  /// Refers to a tensor. The bytes may lie at any address: copy what needs alignment. No such tensor, or one of a type
  /// that Assay does not have, is an input error.
  [[nodiscard]] base::Result<ConstView> view(std::string_view name, std::string_view source) const;
};
[[nodiscard]] base::Result<SafetensorsFile> read_safetensors(std::span<const std::byte> file, std::string_view source);

/// A tensor that is to be written.
struct SafetensorsTensor {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
};

/// What comes before the data, and where each tensor goes. The data begin at a multiple of 8 bytes and are ordered by
/// falling element size, so that every tensor is aligned to its elements.
struct SafetensorsPreamble {
  std::string bytes;
  SafetensorsHeader header;
};

/// Lays out a file. A name that comes twice or is "__metadata__", sizes that overflow, an odd number of four-bit
/// elements, and a type that the format does not have are input errors.
[[nodiscard]] base::Result<SafetensorsPreamble> plan_safetensors(
    std::span<const SafetensorsTensor> tensors, const std::vector<std::pair<std::string, std::string>>& metadata = {});

}  // namespace assay::tensor
