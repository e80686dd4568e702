#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::build {

/// One program header: a piece that the loader maps, or a note about one.
struct ElfSegment {
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t address = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t alignment = 0;
  std::string_view content;  ///< What the file holds of it.
};

/// One section header with what it names. `name` and `content` lie inside the file.
struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< Also of those without content in the file.
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t alignment = 0;
  std::uint64_t entry_bytes = 0;
  std::string_view content;
};

/// A 64-bit little-endian ELF file, read without trust: whoever wrote the source may have written these bytes. Everything
/// that is returned lies inside `bytes`, which must outlive it, and is bounded: at most kMostSegments and kMostSections
/// headers, whose contents together are no more than kMostOverlap times the file.
struct ElfImage {
  static constexpr std::size_t kMostSegments = 128;
  static constexpr std::size_t kMostSections = 65535;
  static constexpr std::size_t kMostOverlap = 4;

  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint32_t flags = 0;
  std::uint64_t entry = 0;
  std::string_view identification;  ///< The 16 bytes at the beginning.
  std::vector<ElfSegment> segments;
  std::vector<ElfSection> sections;

  /// Reads the program headers, and the section headers if asked; nothing if any of it does not fit into the file.
  enum class Read : std::uint8_t { segments, sections };
  [[nodiscard]] static std::optional<ElfImage> parse(std::string_view bytes, Read what);
};

}  // namespace assay::build
