// A request holds what a user asked `labreport run` to measure, as the text of its flags.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace labreport {

/// An empty optional is a flag that was not given.
struct Request {
  std::optional<std::string> edition = {}, preset = {}, problems = {}, only = {};
  std::optional<std::string> model = {}, beside = {}, model_args = {}, loss = {}, optimizer = {};
  bool compile = false;
  std::optional<std::string> attention = {}, sizes = {};
  std::vector<std::string> own_sizes = {};
  std::optional<std::string> contexts = {}, precisions = {}, modes = {}, warmup = {}, steps = {},
                             batch = {}, vocab = {}, launches = {};
  bool separate_warmups = false;
  std::optional<std::string> gpus = {};
  bool keep_env = false;  ///< Workers see the environment variables that change results.
  bool nvtx = false;
  std::optional<std::string> timeout = {}, shard = {};

  bool operator==(const Request&) const = default;
};

/// A flag and its values: one value, several if the flag may be repeated, none for a switch.
struct GivenFlag {
  std::string name;  ///< "--sizes"
  std::vector<std::string> values;

  std::vector<std::string> words() const;  ///< Separate words of a command line.
};

/// Returns the flags that were given, always in the same order.
std::vector<GivenFlag> given_flags(const Request& request);

/// Returns all given flags as words of a command line.
std::vector<std::string> words_of(const Request& request);

/// Returns `request` with the flag `name` as it is in `other`.
Request with_flag(Request request, const std::string& name, const Request& other);

}  // namespace labreport
