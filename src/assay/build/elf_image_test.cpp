#include <assay/build/elf_image.hpp>

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include <assay/os/file.hpp>

namespace assay::build {
namespace {

using Read = ElfImage::Read;

template <class T>
void put(std::string& bytes, std::size_t at, const T& record) {
  std::memcpy(bytes.data() + at, &record, sizeof record);
}

// A header, one segment and two sections: the names, and "code".
struct Small {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  Elf64_Shdr sections[3] = {};
  std::string names = std::string("\0.names\0.code\0", 14);

  Small() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = 62;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof segment;
    header.e_phnum = 1;
    segment.p_type = PT_LOAD;
    segment.p_filesz = 200;
    segment.p_memsz = 4096;
    header.e_shoff = 256;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    sections[1].sh_type = SHT_STRTAB;
    sections[1].sh_name = 1;
    sections[1].sh_offset = 128;
    sections[1].sh_size = names.size();
    sections[2].sh_type = SHT_PROGBITS;
    sections[2].sh_name = 8;
    sections[2].sh_offset = 150;
    sections[2].sh_size = 4;
  }

  [[nodiscard]] std::string bytes() const {
    std::string file(256 + sizeof sections, '\0');
    put(file, 0, header);
    put(file, sizeof header, segment);
    std::memcpy(file.data() + 128, names.data(), names.size());
    std::memcpy(file.data() + 150, "\1\2\3\4", 4);
    put(file, 256, sections);
    return file;
  }
};

bool parses(const Small& small, Read what) {
  const std::string bytes = small.bytes();
  return ElfImage::parse(bytes, what).has_value();
}

TEST(ElfImage, ReadsSegmentsAndSections) {
  const std::string bytes = Small().bytes();
  const auto image = ElfImage::parse(bytes, Read::sections);
  ASSERT_TRUE(image);
  ASSERT_EQ(image->segments.size(), 1U);
  EXPECT_EQ(image->segments[0].content, std::string_view(bytes).substr(0, 200));
  EXPECT_EQ(image->segments[0].memory_bytes, 4096U);
  ASSERT_EQ(image->sections.size(), 3U);
  EXPECT_EQ(image->sections[2].name, ".code");
  EXPECT_EQ(image->sections[2].content, "\1\2\3\4");
}

TEST(ElfImage, ReadsItsOwnProgram) {
  const auto self = os::read_file("/proc/self/exe");
  ASSERT_TRUE(self);
  const auto image = ElfImage::parse(*self, Read::sections);
  ASSERT_TRUE(image);
  EXPECT_GT(image->segments.size(), 3U);
  EXPECT_TRUE(std::any_of(image->sections.begin(), image->sections.end(),
                          [](const ElfSection& section) { return section.name == ".text"; }));
}

TEST(ElfImage, ATruncatedFileIsNone) {
  const std::string bytes = Small().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ElfImage::parse(std::string_view(bytes).substr(0, size), Read::sections)) << size;
  }
  EXPECT_FALSE(ElfImage::parse("#!/bin/sh\n", Read::segments));
}

TEST(ElfImage, WhatLiesOutsideTheFileIsRefused) {
  constexpr std::uint64_t kFar = ~std::uint64_t{0};
  Small small;
  small.segment.p_offset = kFar;
  EXPECT_FALSE(parses(small, Read::segments));
  small = {};
  small.segment.p_filesz = kFar;  // Whose end wraps around.
  EXPECT_FALSE(parses(small, Read::segments));
  small = {};
  small.header.e_phoff = kFar;
  EXPECT_FALSE(parses(small, Read::segments));
  small = {};
  small.header.e_shoff = kFar;
  EXPECT_TRUE(parses(small, Read::segments)) << "nobody asks where the sections are";
  EXPECT_FALSE(parses(small, Read::sections));
  small = {};
  small.sections[2].sh_size = kFar;
  EXPECT_FALSE(parses(small, Read::sections));
  small.sections[2].sh_type = SHT_NOBITS;
  EXPECT_TRUE(parses(small, Read::sections)) << "takes nothing of the file";
  small = {};
  small.sections[2].sh_name = 14;
  EXPECT_FALSE(parses(small, Read::sections));
  small = {};
  small.names.back() = 'x';
  EXPECT_FALSE(parses(small, Read::sections)) << "a name without an end";
  small = {};
  small.header.e_shstrndx = 3;
  EXPECT_FALSE(parses(small, Read::sections));
}

TEST(ElfImage, OtherKindsAreRefused) {
  Small small;
  small.header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(parses(small, Read::segments));
  small = {};
  small.header.e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_FALSE(parses(small, Read::segments));
  small = {};
  small.header.e_phentsize = 8;
  EXPECT_FALSE(parses(small, Read::segments));
  small = {};
  small.header.e_phnum = ElfImage::kMostSegments + 1;
  EXPECT_FALSE(parses(small, Read::segments));
}

// A short file must not make the judge digest gigabytes.
TEST(ElfImage, HeadersThatNameTheSameBytesOverAndOverAreRefused) {
  Small small;
  std::string bytes = small.bytes();
  bytes.resize(65536);
  small.header.e_phnum = 100;
  small.header.e_phoff = 1024;
  small.segment.p_filesz = 65536;
  put(bytes, 0, small.header);
  for (std::size_t i = 0; i < 100; ++i) {
    put(bytes, 1024 + i * sizeof small.segment, small.segment);
  }
  EXPECT_FALSE(ElfImage::parse(bytes, Read::segments));
  small.header.e_phnum = 4;
  put(bytes, 0, small.header);
  EXPECT_TRUE(ElfImage::parse(bytes, Read::segments));
}

}  // namespace
}  // namespace assay::build
