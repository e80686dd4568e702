#include <assay/build/elf_image.hpp>

#include <elf.h>

#include <cstring>
#include <optional>

namespace assay::build {

namespace {

constexpr std::uint64_t kMostElfBytes = std::uint64_t{1} << 32U;

// Whole records only; the file need not be aligned in memory.
template <class T>
std::optional<T> record_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    return std::nullopt;
  }
  T record;
  std::memcpy(&record, bytes.data() + offset, sizeof(T));
  return record;
}

std::optional<std::string_view> piece_of(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return std::nullopt;
  }
  return bytes.substr(offset, size);
}

// Up to its zero, which must be there.
std::optional<std::string_view> name_at(std::string_view names, std::uint32_t offset) {
  if (offset >= names.size()) {
    return std::nullopt;
  }
  const std::size_t end = names.find('\0', offset);
  return end == std::string_view::npos ? std::nullopt : std::optional(names.substr(offset, end - offset));
}

bool read_segments(std::string_view bytes, const Elf64_Ehdr& header, ElfImage& image) {
  if (header.e_phnum > ElfImage::kMostSegments || (header.e_phnum > 0 && header.e_phentsize != sizeof(Elf64_Phdr))) {
    return false;
  }
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    if (header.e_phoff > bytes.size()) {
      return false;
    }
    const auto record = record_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    const auto content = record ? piece_of(bytes, record->p_offset, record->p_filesz) : std::nullopt;
    if (!content) {
      return false;
    }
    total += content->size();
    image.segments.push_back({record->p_type, record->p_flags, record->p_offset, record->p_vaddr, record->p_memsz,
                              record->p_align, *content});
  }
  return total <= ElfImage::kMostOverlap * bytes.size();
}

bool read_sections(std::string_view bytes, const Elf64_Ehdr& header, ElfImage& image) {
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size()) {
    return false;  // None, or more than the header can count, which no candidate needs.
  }
  std::vector<Elf64_Shdr> records;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto record = record_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!record) {
      return false;
    }
    records.push_back(*record);
  }
  if (header.e_shstrndx >= records.size() || records[header.e_shstrndx].sh_type != SHT_STRTAB) {
    return false;
  }
  const Elf64_Shdr& table = records[header.e_shstrndx];
  const auto names = piece_of(bytes, table.sh_offset, table.sh_size);
  if (!names) {
    return false;
  }
  std::uint64_t total = 0;
  for (const Elf64_Shdr& record : records) {
    const bool in_file = record.sh_type != SHT_NOBITS && record.sh_type != SHT_NULL;
    const auto content = in_file ? piece_of(bytes, record.sh_offset, record.sh_size) : std::string_view();
    const auto name = name_at(*names, record.sh_name);
    if (!content || !name) {
      return false;
    }
    total += content->size() + name->size();
    if (total > ElfImage::kMostOverlap * bytes.size()) {
      return false;
    }
    image.sections.push_back({*name, record.sh_type, record.sh_flags, record.sh_addr, record.sh_size, record.sh_link,
                              record.sh_info, record.sh_addralign, record.sh_entsize, *content});
  }
  return true;
}

}  // namespace

std::optional<ElfImage> ElfImage::parse(std::string_view bytes, Read what) {
  const auto header = record_at<Elf64_Ehdr>(bytes, 0);
  if (!header || bytes.size() > kMostElfBytes || !bytes.starts_with(ELFMAG) ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return std::nullopt;
  }
  ElfImage image;
  image.type = header->e_type;
  image.machine = header->e_machine;
  image.flags = header->e_flags;
  image.entry = header->e_entry;
  image.identification = bytes.substr(0, EI_NIDENT);
  if (!read_segments(bytes, *header, image) || (what == Read::sections && !read_sections(bytes, *header, image))) {
    return std::nullopt;
  }
  return image;
}

}  // namespace assay::build
