// Declares the flags for the output of a render, which `render` and `report` share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "publish/rendering.h"

namespace labreport {

struct OutputFlags {
  std::string answers = "full";
  std::string formats = "html,md,csv,latex,typst,pdf,json";
  std::string paper = "a4";
  std::string notes;
  std::string site_url;
  bool force = false;
  const CLI::Option* format_option = nullptr;  ///< Null for a verb without --format.

  /// Returns the options of a render into `out`. Throws `InputError` for an invalid value.
  RenderOptions options(const std::filesystem::path& out) const;
};

void add_output_flags(CLI::App& verb, OutputFlags& flags);

/// Calls `work`, which changes nothing in `out` if an interrupt ends it. It then says so on stderr,
/// and passes `Interrupted` on.
Rendered keep_if_interrupted(const std::filesystem::path& out,
                             const std::function<Rendered()>& work);

}  // namespace labreport
