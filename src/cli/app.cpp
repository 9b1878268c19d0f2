#include "cli/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <system_error>

#include "base/build_info.h"
#include "base/error.h"
#include "base/file_errors.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/hints.h"
#include "cli/verbs.h"
#include "orchestrate/subprocess.h"

namespace labreport {
namespace {

constexpr const char* kHelpLine = "  {:<20} {}\n";

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string program_help(const CLI::App& app) {
  std::string text = "usage: labreport VERB [FLAGS]\n\n";
  for (const CLI::App* verb : verbs_of(app)) {
    text += fmt::format(fmt::runtime(kHelpLine), verb->get_name(), verb->get_description());
  }
  return text + "\n`labreport help VERB` shows a verb's flags; --version shows the version.\n";
}

/// A positional argument's description begins with "NAME: "; if optional, it has a "(default: …)".
std::string verb_help(const CLI::App& verb) {
  std::string usage = verb.get_name();
  std::string lines;
  for (const CLI::Option* option : verb.get_options()) {
    std::string name = flag_name(*option), description = option->get_description();
    if (option->get_positional()) {
      const std::size_t colon = description.find(": ");
      name = description.substr(0, colon);
      description.erase(0, colon + 2);
      usage += description.find("(default: ") == description.npos ? " " + name : " [" + name + "]";
    }
    lines += fmt::format(fmt::runtime(kHelpLine), name, description);
  }
  return fmt::format("usage: labreport {} [FLAGS]\n{}\n\n{}{}", usage, verb.get_description(),
                     lines, verb.get_footer());
}

/// Formats help so that it is the same for every version of CLI11.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return app->get_parent() == nullptr ? program_help(*app) : verb_help(*app);
  }
};

void add_verbs(CLI::App& app, Invocation& invocation) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("--help", "show this");
  app.require_subcommand(1);  // A run may be named like a verb, so a second verb is an argument.
  for (const auto add_verb_to :
       {add_report, add_run, add_import, add_render, add_diff, add_notes, add_list, add_check,
        add_query, add_fits, add_advise, add_submit, add_drop, add_merge, add_slurm, add_doctor}) {
    add_verb_to(app, invocation);
  }
}

/// Throws `InputError` with the nearest verbs if the word is no verb.
const CLI::App& find_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app)) {
    if (verb->get_name() == word) return *verb;
    names.push_back(verb->get_name());
  }
  refuse_unknown("verb", word, names);
}

/// Returns "--sizes" for "--sizes=small"; empty if the word is no flag.
std::string flag_of(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : "";
}

/// Checks flags before CLI11 parses them, because its messages differ between versions.
void check_flags(const CLI::App& verb, const std::vector<std::string>& argv) {
  std::vector<std::string> known_flags;
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) known_flags.push_back(flag_name(*option));
  }
  std::set<std::string> seen;
  for (auto word = argv.begin() + 2; word != argv.end(); ++word) {
    const std::string flag = flag_of(*word);
    if (flag.empty()) {
      if (word->size() > 1 && word->front() == '-') refuse_unknown("flag", *word, known_flags);
      continue;
    }
    if (std::find(known_flags.begin(), known_flags.end(), flag) == known_flags.end()) {
      refuse_unknown("flag", flag, known_flags);
    }
    if (!seen.insert(flag).second && flag != "--size") {
      throw InputError(flag + " is given twice", "give it once, with commas between values");
    }
    const bool takes_value = verb.get_option(flag)->get_expected_min() > 0;
    if (!takes_value && flag != *word) {
      throw InputError(flag + " takes no value", "leave it out");
    }
    if (!takes_value || flag != *word) continue;
    const std::string help = "see `labreport " + verb.get_name() + " --help`";
    if (++word == argv.end()) throw InputError(flag + " needs a value", help);
    if (!flag_of(*word).empty()) throw InputError(flag + " needs a value, not " + *word, help);
  }
}

ExitStatus dispatch(std::vector<std::string> argv) {
  if (argv.size() > 1 && argv[1] == "help") {  // `help VERB` means `VERB --help`.
    argv.erase(argv.begin() + 1);
    argv.emplace_back("--help");
  }
  CLI::App app("measures a Transformer's training step and writes the report");
  Invocation invocation{argv, {}};
  add_verbs(app, invocation);
  if (argv.size() < 2) {
    say("{}", app.help());
    return ExitStatus::kBadInput;
  }
  if (argv[1] == "--version") {
    const BuildInfo& build = build_info();
    fmt::print("labreport {} (revision {}{})\n", build.version, build.revision.substr(0, 12),
               build.dirty ? ", with uncommitted changes" : "");
    return ExitStatus::kDone;
  }
  const bool wants_help = std::ranges::find(argv, "--help") != argv.end();
  const CLI::App& verb = argv[1] == "--help" ? app : find_verb(app, argv[1]);
  if (wants_help) {
    fmt::print("{}", verb.help());
    return ExitStatus::kDone;
  }
  check_flags(verb, argv);
  std::vector<std::string> reversed(argv.rbegin(),
                                    argv.rend() - 1);  // CLI11 takes words from the end.
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    const bool resumes = std::ranges::find(argv, "--resume") != argv.end();
    throw InputError(error.what(), resumes ? "`labreport run --resume --out RUN` resumes one run"
                                           : "see `labreport " + argv[1] + " --help`");
  }
  return invocation.call();
}

/// Throws if stdout could not be written. Otherwise output would be missing on a full disk, but the
/// exit status would be 0.
void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::system_error(errno, std::generic_category());
}

int fail_with(std::string line) {
  line = in_callers_form(line);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fputs(("labreport: " + line + "\n").c_str(), stderr);
  return static_cast<int>(ExitStatus::kBadInput);
}

}  // namespace

int run_app(const std::vector<std::string>& argv) try {
  report_file_size_limit_as_error();
  ExitStatus status = dispatch(argv);
  flush_output();
  if (status == ExitStatus::kDone && has_skipped()) status = ExitStatus::kIncomplete;
  return static_cast<int>(status);
} catch (const Interrupted&) {
  return static_cast<int>(ExitStatus::kInterrupted);
} catch (const std::system_error& error) {
  if (std::ferror(stdout) == 0) return fail_with(error_line(error));
  return fail_with("cannot write to standard output: " + error.code().message());
} catch (const std::exception& error) {
  return fail_with(error_line(error));
}

}  // namespace labreport
