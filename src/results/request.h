// A request holds what a user asked `labreport run` to measure, in the flags' own words.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace labreport {

/// Empty optionals were not given.
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
  bool keep_env = false;  ///< Workers see the variables that change results.
  bool nvtx = false;
  std::optional<std::string> timeout = {}, shard = {};

  bool operator==(const Request&) const = default;
};

/// A flag and its values: one, several of one that may be repeated, none of a switch.
struct GivenFlag {
  std::string name;  ///< "--sizes"
  std::vector<std::string> values;

  std::vector<std::string> words() const;  ///< As a command has them.
};

/// The flags that were given, always in one order.
std::vector<GivenFlag> given_flags(const Request& request);

/// All of them as a command has them.
std::vector<std::string> words_of(const Request& request);

/// `request` with that flag as in `other`.
Request with_flag(Request request, const std::string& name, const Request& other);

}  // namespace labreport
