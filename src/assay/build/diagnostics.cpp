#include <assay/build/diagnostics.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <assay/base/text.hpp>

namespace assay::build {

namespace {

struct SeverityWord {
  std::string_view text;
  Severity severity;
};
constexpr std::array<SeverityWord, 7> kSeverities = {{{"catastrophic error", Severity::error},
                                                      {"fatal error", Severity::error},
                                                      {"fatal", Severity::error},
                                                      {"error", Severity::error},
                                                      {"warning", Severity::warning},
                                                      {"note", Severity::note},
                                                      {"remark", Severity::note}}};

// Programs that say "tool severity   : message".
constexpr std::array<std::string_view, 6> kTools = {"nvcc", "ptxas", "nvlink", "fatbinary", "cicc", "cudafe++"};

// A line from which what was understood is taken off at the front.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string_view rest() const { return text_; }

  bool take(std::string_view word) {
    if (!text_.starts_with(word)) {
      return false;
    }
    text_.remove_prefix(word.size());
    return true;
  }

  void take_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

  // Nothing is taken unless it is a number of the type.
  template <typename Number>
  std::optional<Number> take_number() {
    Number number = 0;
    const bool is_plain = !text_.empty() && base::is_digit(text_.front());
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (!is_plain || error != std::errc()) {
      return std::nullopt;
    }
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return number;
  }

  std::optional<Severity> take_severity() {
    for (const SeverityWord& word : kSeverities) {
      if (take(word.text)) {
        return word.severity;
      }
    }
    return std::nullopt;
  }

  // What lies before `end`, which is taken too.
  std::optional<std::string_view> take_until(std::string_view end) {
    const std::size_t at = text_.find(end);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view before = text_.substr(0, at);
    text_.remove_prefix(at + end.size());
    return before;
  }

 private:
  std::string_view text_;
};

// "severity: message", or "severity #177-D: message", whose number says how to silence it and stays.
bool take_message(Cursor cursor, Diagnostic& found) {
  const std::optional<Severity> severity = cursor.take_severity();
  const bool is_numbered = severity && cursor.rest().starts_with(" #");
  if (!severity || !(is_numbered ? cursor.take(" ") : cursor.take(": "))) {
    return false;
  }
  found.severity = *severity;
  found.message = std::string(base::trim(cursor.rest()));
  return !found.message.empty();
}

// "file(12): error: …", of NVIDIA's front end and of NVRTC.
std::optional<Diagnostic> front_end_form(std::string_view line) {
  for (std::size_t at = line.find('('); at != std::string_view::npos; at = line.find('(', at + 1)) {
    Diagnostic found;
    Cursor cursor(line.substr(at + 1));
    const std::optional<std::int32_t> number = cursor.take_number<std::int32_t>();
    if (at > 0 && number && cursor.take("): ") && take_message(cursor, found)) {
      found.file = std::string(line.substr(0, at));
      found.line = *number;
      return found;
    }
  }
  return std::nullopt;
}

// "file:12:5: error: …" and "file:12: error: …", of g++ and clang++; "collect2: error: …", without a place.
std::optional<Diagnostic> host_form(std::string_view line) {
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    Diagnostic found;
    Cursor cursor(line.substr(at + 1));
    const std::optional<std::int32_t> number = cursor.take_number<std::int32_t>();
    if (number && cursor.take(":")) {
      found.line = *number;
      const std::optional<std::int32_t> column = cursor.take_number<std::int32_t>();
      if (column && cursor.take(":")) {
        found.column = *column;
      }
    }
    if (at > 0 && cursor.take(" ") && take_message(cursor, found)) {
      (found.line > 0 ? found.file : found.message) =
          found.line > 0 ? std::string(line.substr(0, at)) : std::string(base::trim(line));
      return found;
    }
  }
  return std::nullopt;
}

// "ptxas error   : …" and "ptxas /tmp/x.ptx, line 27; error   : …".
std::optional<Diagnostic> tool_form(std::string_view line) {
  Diagnostic found;
  Cursor cursor(line);
  if (std::none_of(kTools.begin(), kTools.end(), [&](std::string_view tool) { return cursor.take(tool); }) ||
      !cursor.take(" ")) {
    return std::nullopt;
  }
  Cursor placed = cursor;
  if (const std::optional<std::string_view> file = placed.take_until(", line ")) {
    const std::optional<std::int32_t> number = placed.take_number<std::int32_t>();
    if (number && placed.take("; ")) {
      found.file = std::string(*file);
      found.line = *number;
      cursor = placed;
    }
  }
  const std::optional<Severity> severity = cursor.take_severity();
  cursor.take_blanks();
  if (!severity || !cursor.take(":")) {
    return std::nullopt;
  }
  found.severity = *severity;
  found.message = std::string(base::trim(cursor.rest()));
  return found.message.empty() ? std::nullopt : std::optional(found);
}

// The linker says what is wrong without a severity.
std::optional<Diagnostic> linker_form(std::string_view line) {
  for (const std::string_view what : {"undefined reference to ", "multiple definition of "}) {
    if (const std::size_t at = line.find(what); at != std::string_view::npos) {
      Diagnostic found;
      found.message = std::string(base::trim(line.substr(at)));
      return found;
    }
  }
  return std::nullopt;
}

class Reader {
 public:
  void read(std::string_view line) {
    Cursor info(line);
    if (info.take("ptxas info")) {
      info.take_blanks();
      if (info.take(": ")) {
        read_info(info);
      }
    } else if (line.starts_with("    ") && line.find("bytes stack frame") != std::string_view::npos) {
      read_properties(line);
    } else if (read_context(line)) {
    } else if (line.starts_with(' ')) {
      return;  // The picture of a line, in which anything may stand.
    } else if (std::optional<Diagnostic> found = understand(line)) {
      add(std::move(*found));
    }
  }

  Diagnostics finish() { return std::move(found_); }

 private:
  static std::optional<Diagnostic> understand(std::string_view line) {
    for (const auto form : {&tool_form, &front_end_form, &host_form, &linker_form}) {
      if (std::optional<Diagnostic> found = form(line)) {
        return found;
      }
    }
    return std::nullopt;
  }

  void add(Diagnostic found) {
    if (found_.messages.size() < kMostMessages) {
      found_.messages.push_back(std::move(found));
    } else {
      found_.complete = false;
    }
  }

  // "          detected during instantiation of …" belongs to the message before it: it leads to the line to mend.
  bool read_context(std::string_view line) {
    const std::string_view text = base::trim(line);
    if (!line.starts_with(' ') || !text.starts_with("detected during") || found_.messages.empty()) {
      return false;
    }
    found_.messages.back().message += "; " + std::string(text);
    return true;
  }

  void read_info(Cursor info) {
    if (info.take("Compiling entry function '")) {
      begin_kernel(info);
    } else if (info.take("Function properties for ")) {
      described_ = std::string(base::trim(info.rest()));
    } else if (info.take("Used ")) {
      read_use(info.rest());
    } else if (info.rest().starts_with(
                   "(C")) {  // Advice with a number, such as that matrix instructions do not overlap.
      Diagnostic advice;
      advice.severity = Severity::note;
      advice.message = std::string(base::trim(info.rest()));
      add(std::move(advice));
    }
  }

  void begin_kernel(Cursor info) {
    const std::optional<std::string_view> symbol = info.take_until("' for '");
    const std::optional<std::string_view> architecture = info.take_until("'");
    open_ =
        symbol && architecture && !symbol->empty() && !architecture->empty() && found_.kernels.size() < kMostKernels;
    found_.complete = found_.complete && found_.kernels.size() < kMostKernels;
    described_.clear();
    if (open_) {
      found_.kernels.emplace_back();
      found_.kernels.back().symbol = std::string(*symbol);
      found_.kernels.back().name = found_.kernels.back().symbol;
      found_.kernels.back().architecture = std::string(*architecture);
    }
  }

  // Functions that are called by kernels are described as well, by their own names.
  void read_properties(std::string_view line) {
    if (!open_ || described_ != found_.kernels.back().symbol) {
      return;
    }
    task::KernelResources& kernel = found_.kernels.back();
    read_quantity(line, " bytes stack frame", kernel.stack_bytes);
    read_quantity(line, " bytes spill stores", kernel.spill_store_bytes);
    read_quantity(line, " bytes spill loads", kernel.spill_load_bytes);
  }

  // "24 registers, used 1 barriers, 1024 bytes smem, 352 bytes cmem[0], 8 bytes cmem[2]".
  void read_use(std::string_view line) {
    if (!open_) {
      return;
    }
    task::KernelResources& kernel = found_.kernels.back();
    read_quantity(line, " registers", kernel.registers);
    read_quantity(line, " barriers", kernel.barriers);
    read_quantity(line, " bytes smem", kernel.shared_bytes);
    for (const std::string& part : base::split(line, ',')) {
      std::int64_t bank = 0;
      read_quantity(part, " bytes cmem[", bank);
      kernel.constant_bytes = std::min(kernel.constant_bytes + std::min(bank, kMostBytes), kMostBytes);
    }
  }

  // Sets `value` to the number before `unit`, if there is one.
  static void read_quantity(std::string_view line, std::string_view unit, std::int64_t& value) {
    const std::size_t end = line.find(unit);
    if (end == std::string_view::npos) {
      return;
    }
    std::size_t start = end;
    while (start > 0 && base::is_digit(line[start - 1])) {
      --start;
    }
    Cursor cursor(line.substr(start, end - start));
    value = cursor.take_number<std::int64_t>().value_or(value);
  }

  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 53U;  // Exact as a JSON number everywhere.

  Diagnostics found_;
  bool open_ = false;      // The kernel at the back is the one that is spoken of.
  std::string described_;  // The function whose properties come next.
};

}  // namespace

Diagnostics parse_diagnostics(std::string_view log) {
  Reader reader;
  for (const std::string& line : base::split(log, '\n')) {
    reader.read(line);
  }
  return reader.finish();
}

}  // namespace assay::build
