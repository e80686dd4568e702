#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include <assay/cli/declare.hpp>

namespace CLI {
class App;
}

namespace assay::cli {

/// Which of the shared options a command has.
enum class Shared : std::uint8_t { json, archive, dataset };

/// Adds a command with its one-line description and its examples.
[[nodiscard]] CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                                    const std::string& examples);

/// Adds --json, --archive or --dataset.
void add_shared(CLI::App& command, Draft& draft, std::initializer_list<Shared> shared);

/// Keeps the command object of type T alive in the draft while its options are parsed: options write into `T& `, which
/// becomes `draft.arguments.command` when the command is the one that was given.
template <class T>
class Slot {
 public:
  explicit Slot(Draft& draft) : draft_(&draft), value_(std::make_shared<T>()) {}
  T& operator*() const { return *value_; }
  T* operator->() const { return value_.get(); }
  /// Returns what the parser calls at the end.
  [[nodiscard]] std::function<void()> chosen() const {
    return [draft = draft_, value = value_] { draft->arguments.command = *value; };
  }

 private:
  Draft* draft_;
  std::shared_ptr<T> value_;
};

}  // namespace assay::cli
