#include "results/redaction.h"

#include <utility>

#include "results/run_json_keys.h"

namespace labreport {
namespace {

void redact_text(std::string& text, const PrivateNames& names) {
  text = redacted(std::move(text), names);
}

bool is_flag(const std::string& word) { return word.starts_with("--"); }

/// Redacts a word of the command; `flag` is the word before it. In a folder's path and after a word
/// that is no flag, the host's name is replaced wherever it is a word. Any other value may equal
/// the host's name by chance, so the name is replaced only inside a path or an address.
std::string redacted_value(const std::string& flag, std::string value, const PrivateNames& names) {
  const bool is_folder = !is_flag(flag) || flag == "--out" || flag == "--notes";
  return is_folder ? redacted(std::move(value), names) : redacted_word(std::move(value), names);
}

void redact_in_paths(std::string& text, const PrivateNames& names) {
  text = redacted_word(std::move(text), names);
}

void redact_in_paths(std::optional<std::string>& text, const PrivateNames& names) {
  if (text) redact_in_paths(*text, names);
}

void redact_in_paths(std::vector<std::string>& texts, const PrivateNames& names) {
  for (std::string& text : texts) redact_in_paths(text, names);
}

void redact_in_paths(bool /*flag*/, const PrivateNames& /*names*/) {}

struct RedactOutcome {
  const PrivateNames& names;
  void operator()(Crashed& crash) const { redact_text(crash.message, names); }
  void operator()(Failed& failure) const { redact_text(failure.message, names); }
  void operator()(const auto&) const {}  // The other outcomes hold no text from the worker.
};

void redact_code(ModelSource& code, const PrivateNames& names) {
  for (std::string ModelSource::* text : {&ModelSource::model, &ModelSource::arguments,
                                          &ModelSource::loss, &ModelSource::optimizer}) {
    redact_in_paths(code.*text, names);
  }
}

}  // namespace

void redact(Session& session, const PrivateNames& names) {
  // The first two words are the program and the verb.
  for (std::size_t i = 2; i < session.argv.size(); ++i) {
    std::string& word = session.argv[i];
    const std::size_t equals = word.find('=');
    if (!is_flag(word)) {
      word = redacted_value(session.argv[i - 1], std::move(word), names);
    } else if (equals != std::string::npos) {
      const std::string flag = word.substr(0, equals);
      word = flag + "=" + redacted_value(flag, word.substr(equals + 1), names);
    }
  }
  if (session.model) redact_code(*session.model, names);
  for (ModelSource& attention : session.more_attentions) redact_code(attention, names);
  std::apply(
      [&](const auto&... member) {
        (redact_in_paths(session.request.*member.pointer, names), ...);
      },
      kMembers<Request>);
  for (auto& [variable, value] : session.environment) redact_text(value, names);
}

void redact(Launch& launch, const PrivateNames& names) {
  std::visit(RedactOutcome{names}, launch.outcome);
  for (std::string& warning : launch.warnings) redact_text(warning, names);
  for (Metric& metric : launch.metrics) redact_text(metric.reason, names);
  for (Metric& metric : launch.conditions) redact_text(metric.reason, names);
}

}  // namespace labreport
