#include <assay/build/code_digest.hpp>

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <assay/base/text.hpp>
#include <assay/build/elf_image.hpp>

namespace assay::build {

namespace {

constexpr std::uint16_t kCudaMachine = 190;
constexpr std::size_t kLongestBuildId = 64;

void add_number(base::Sha256& hash, std::uint64_t number) { hash.update_framed(std::to_string(number)); }

void add_header(base::Sha256& hash, std::string_view tag, const ElfImage& image) {
  hash.update_framed(tag);
  hash.update_framed(image.identification);
  for (const std::uint64_t number :
       {std::uint64_t{image.type}, std::uint64_t{image.machine}, std::uint64_t{image.flags}, image.entry}) {
    add_number(hash, number);
  }
}

// Bytes of the file, by offset, that say nothing of what runs.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

constexpr std::uint64_t aligned(std::uint64_t size) { return (size + 3) / 4 * 4; }

// Where the linker's build ids lie: a digest of the whole file, names that do not count included.
std::vector<Span> build_ids(const ElfImage& image) {
  std::vector<Span> found;
  for (const ElfSegment& segment : image.segments) {
    std::uint64_t at = 0;
    while (segment.type == PT_NOTE && segment.content.size() - at >= sizeof(Elf64_Nhdr)) {
      Elf64_Nhdr note{};
      std::memcpy(&note, segment.content.data() + at, sizeof note);
      const std::uint64_t name = at + sizeof note;
      const std::uint64_t content = name + aligned(note.n_namesz);
      const std::uint64_t end = content + aligned(note.n_descsz);
      if (end > segment.content.size()) {
        break;
      }
      if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= kLongestBuildId &&
          segment.content.substr(name, note.n_namesz) == std::string_view("GNU\0", 4)) {
        found.push_back({segment.file_offset + content, segment.file_offset + content + note.n_descsz});
      }
      at = end;
    }
  }
  return found;
}

// As it is in memory, with zeros where nothing counts.
std::string mapped(const ElfSegment& segment, const std::vector<Span>& blank) {
  std::string content(segment.content);
  for (const Span& span : blank) {
    const std::uint64_t begin = std::max(span.begin, segment.file_offset);
    const std::uint64_t end = std::min(span.end, segment.file_offset + content.size());
    if (begin < end) {
      const auto from = content.begin() + static_cast<std::ptrdiff_t>(begin - segment.file_offset);
      std::fill(from, from + static_cast<std::ptrdiff_t>(end - begin), '\0');
    }
  }
  return content;
}

bool says_how_it_was_made(std::string_view section) {
  return section.starts_with(".debug_") || section.starts_with(".nv_debug_") || section == ".note.nv.tkinfo";
}

// "_INTERNAL_1a2b3c4d_9_kernel_cu_scale": the eight digits differ with every edit of the source, and name nothing.
std::string without_unit_numbers(std::string_view text) {
  constexpr std::string_view kMark = "_INTERNAL_";
  constexpr std::size_t kDigits = 8;
  const auto is_hex = [](char c) { return base::is_digit(c) || (c >= 'a' && c <= 'f'); };
  std::string result(text);
  for (std::size_t at = result.find(kMark); at != std::string::npos; at = result.find(kMark, at)) {
    at += kMark.size();
    if (result.size() - at > kDigits && result[at + kDigits] == '_' &&
        std::all_of(result.begin() + static_cast<std::ptrdiff_t>(at),
                    result.begin() + static_cast<std::ptrdiff_t>(at + kDigits), is_hex)) {
      result.replace(at, kDigits, kDigits, '0');
    }
  }
  return result;
}

std::string hex_or_empty(const std::optional<base::Digest>& digest) { return digest ? digest->hex() : std::string(); }

// What the object itself does not say of how it is called.
std::string machine_code(const task::Solution& solution, const std::optional<base::Digest>& object) {
  if (!object) {
    return {};
  }
  base::Sha256 hash;
  hash.update_framed("assay machine code 1");
  hash.update_framed(object->hex());
  hash.update_framed(task::to_string(solution.spec.language));
  hash.update_framed(solution.entry_symbol());
  hash.update_framed(solution.spec.binding ? task::to_string(*solution.spec.binding) : std::string_view());
  hash.update_framed(solution.spec.destination_passing_style ? "destination" : "value");
  if (task::tier_of(solution) == task::Tier::device_only) {
    for (const task::SourceFile& source : solution.sources) {
      if (source.path == solution.entry_file()) {
        hash.update_framed(source.content);
      }
    }
    // Plans may name a parameter.
    auto parameters = solution.parameters;
    std::sort(parameters.begin(), parameters.end());
    for (const auto& [name, value] : parameters) {
      hash.update_framed(name);
      add_number(hash, static_cast<std::uint64_t>(value));
    }
  }
  return hash.finish().hex();
}

}  // namespace

std::optional<base::Digest> loaded_image_digest(std::string_view object) {
  const std::optional<ElfImage> image = ElfImage::parse(object, ElfImage::Read::segments);
  if (!image || image->segments.empty()) {
    return std::nullopt;
  }
  std::vector<Span> blank = build_ids(*image);
  if (blank.size() > 1) {
    blank.clear();  // Not what a linker leaves: all of it counts.
  }
  // Where the section headers lie, and how many they are: no loader asks.
  blank.push_back({offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf64_Ehdr, e_shoff) + sizeof(Elf64_Ehdr::e_shoff)});
  blank.push_back({offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Ehdr)});
  base::Sha256 hash;
  add_header(hash, "assay loaded image 1", *image);
  for (const ElfSegment& segment : image->segments) {
    for (const std::uint64_t number : {std::uint64_t{segment.type}, std::uint64_t{segment.flags}, segment.address,
                                       segment.file_offset, segment.memory_bytes, segment.alignment}) {
      add_number(hash, number);
    }
    hash.update_framed(mapped(segment, blank));
  }
  return hash.finish();
}

std::optional<base::Digest> device_code_digest(std::string_view cubin) {
  const std::optional<ElfImage> image = ElfImage::parse(cubin, ElfImage::Read::sections);
  if (!image || image->machine != kCudaMachine) {
    return std::nullopt;
  }
  base::Sha256 hash;
  add_header(hash, "assay device code 1", *image);
  for (const ElfSection& section : image->sections) {
    hash.update_framed(without_unit_numbers(section.name));
    add_number(hash, section.type);
    if (says_how_it_was_made(section.name)) {
      continue;
    }
    for (const std::uint64_t number : {section.flags, section.address, section.bytes, std::uint64_t{section.link},
                                       std::uint64_t{section.info}, section.alignment, section.entry_bytes}) {
      add_number(hash, number);
    }
    hash.update_framed(section.type == SHT_STRTAB ? without_unit_numbers(section.content)
                                                  : std::string(section.content));
  }
  return hash.finish();
}

std::optional<base::Digest> ptx_digest(std::string_view ptx) {
  base::Sha256 hash;
  hash.update_framed("assay ptx 1");
  bool empty = true;
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    const std::string_view line = base::trim(ptx.substr(at, end - at));
    at = end + 1;
    if (line.empty() || line.starts_with("//") || line.starts_with(".loc") || line.starts_with(".file")) {
      continue;
    }
    hash.update_framed(without_unit_numbers(line));
    empty = false;
  }
  return empty ? std::nullopt : std::optional(hash.finish());
}

task::BuiltCode name_code(const task::Solution& solution, const Toolchain& toolchain, std::string_view object,
                          const KeptCode& kept) {
  task::BuiltCode code;
  code.ptx = hex_or_empty(ptx_digest(kept.ptx));
  if (toolchain.form == ObjectForm::cubin) {
    const std::optional<base::Digest> device = device_code_digest(object);
    code.sass = hex_or_empty(device);
    code.machine_code = machine_code(solution, device);
    return code;
  }
  code.sass = hex_or_empty(device_code_digest(kept.cubin));
  code.machine_code = machine_code(solution, loaded_image_digest(object));
  return code;
}

}  // namespace assay::build
