// A request holds the flags with which a user started `labreport run`, as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace labreport {

/// Each member is a flag. An empty optional or list and `false` mean that it was not given.
struct Request {
  std::optional<std::string> edition = {}, preset = {}, problems = {}, only = {};
  std::optional<std::string> course = {};  ///< The code that other flags name is of this checkout.
  std::optional<std::string> model = {};
  std::optional<std::string> second_network = {};  ///< --and
  std::optional<std::string> model_args = {}, loss = {}, optimizer = {};
  bool compile = false;
  std::optional<std::string> attention = {}, step = {}, step_args = {};
  std::optional<std::string> ddp = {}, sharded_optimizer = {}, fsdp = {}, sizes = {};
  std::vector<std::string> own_sizes = {};  ///< --size
  std::optional<std::string> contexts = {}, precisions = {}, modes = {}, warmup = {}, steps = {},
                             batch = {}, vocab = {}, launches = {};
  bool separate_warmups = false;
  std::optional<std::string> gpus = {}, ranks = {};
  bool keep_env = false;  ///< Workers inherit the environment variables that change results.
  bool nvtx = false;
  std::optional<std::string> timeout = {}, shard = {};

  bool operator==(const Request&) const = default;
};

/// A flag and its values: one value, several if the flag may be repeated, none for a switch.
struct GivenFlag {
  std::string name;  ///< "--sizes"
  std::vector<std::string> values;

  /// Returns words of a command line: {"--sizes", "small,large"}.
  std::vector<std::string> words() const;
};

/// Returns the flags that were given, always in the same order.
std::vector<GivenFlag> given_flags(const Request& request);

/// Returns all given flags as words of a command line.
std::vector<std::string> words_of(const Request& request);

/// Returns `request` with the flag `name` as it is in `other`.
Request with_flag(Request request, const std::string& name, const Request& other);

}  // namespace labreport
