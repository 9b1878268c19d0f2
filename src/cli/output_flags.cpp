#include "cli/output_flags.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/messages.h"
#include "base/table.h"
#include "base/text.h"
#include "publish/helper_python.h"
#include "publish/run_notes.h"

namespace labreport {
namespace {

constexpr Names<Paper, 2> kPapers{{{Paper::kA4, "a4"}, {Paper::kLetter, "letter"}}};

/// Returns the address with a slash at its end, so that a page's path can follow.
std::string parse_site_url(const std::string& text) {
  if (text.empty()) return "";
  std::string_view after_scheme;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.starts_with(scheme)) after_scheme = std::string_view(text).substr(scheme.size());
  }
  // The address may contain no query, no fragment, no password, and no character that ends a link.
  constexpr std::string_view kAllowedMarks = "-._~:/%";
  const auto is_allowed = [&](char letter) {
    return is_alnum(letter) || kAllowedMarks.find(letter) != std::string_view::npos;
  };
  if (after_scheme.empty() || !is_alnum(after_scheme.front()) ||
      !std::ranges::all_of(after_scheme, is_allowed)) {
    throw InputError("--site-url is '" + text + "'", "give the site's address: https://host/path/");
  }
  return text.ends_with('/') ? text : text + "/";
}

}  // namespace

RenderOptions OutputFlags::options(const std::filesystem::path& out) const {
  RenderOptions options;
  options.out = out;
  options.answers = parse_answers(answers);
  options.formats = parse_formats(formats);
  options.paper = parse_name(kPapers, "--paper", lower(paper));  // Users write "A4", too.
  options.notes = chosen_notes_folder(notes);
  options.force = force;
  options.site_url = parse_site_url(site_url);
  options.user_named_formats = format_option != nullptr && format_option->count() > 0;
  if (options.formats.contains(Format::kPdf)) typeset_limit_seconds();  // Throws before any work.
  return options;
}

void add_output_flags(CLI::App& verb, OutputFlags& flags) {
  verb.add_option("--answers", flags.answers, "generated answers: full (default) or none");
  flags.format_option =
      verb.add_option("--format", flags.formats, "html,md,csv,latex,typst,pdf,json (default: all)");
  verb.add_option("--paper", flags.paper, "the PDF's paper: a4 (default) or letter");
  verb.add_option("--notes", flags.notes, "folder of your notes (notes)");
  verb.add_option("--site-url", flags.site_url,
                  "the site's address, for link previews: https://host/path/");
  verb.add_flag("--force", flags.force, "overwrite files that labreport did not write");
}

Rendered keep_if_interrupted(const std::filesystem::path& out,
                             const std::function<Rendered()>& work) try {
  return work();
} catch (const Interrupted&) {
  say("interrupted: {} is as it was\n", out.string());
  throw;
}

}  // namespace labreport
