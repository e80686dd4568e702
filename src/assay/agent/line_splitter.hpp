#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace assay::agent {

/// Cuts bytes into lines, holding no more than one line of at most `limit` bytes. A longer line is handed on cut to the
/// limit and marked so; its rest is dropped.
class LineSplitter {
 public:
  enum class Ending : std::uint8_t {
    newline,
    oversized,   ///< Longer than the limit: only its beginning is there.
    end_of_all,  ///< The bytes ended before the line did.
  };
  using OnLine = std::function<void(std::string_view line, Ending ending)>;

  LineSplitter(std::size_t limit, OnLine on_line) : limit_(limit), on_line_(std::move(on_line)) {}

  void feed(std::string_view bytes);
  /// Hands on what has no newline, if anything. Nothing may be fed afterwards.
  void finish();

 private:
  void append(std::string_view part);

  std::size_t limit_;
  OnLine on_line_;
  std::string line_;
  bool oversized_ = false;
};

}  // namespace assay::agent
