#include "results/redaction.h"

#include <utility>

#include "results/run_json_keys.h"

namespace labreport {
namespace {

void redact_text(std::string& text, const PrivateNames& names) {
  text = redacted(std::move(text), names);
}

bool is_flag(const std::string& word) { return word.starts_with("--"); }

/// Redacts a flag's value. The host's name is replaced in a folder's path wherever it is a word,
/// and in other values, which may equal it by chance, only in a path or an address.
std::string value_without_names(const std::string& flag, std::string value,
                                const PrivateNames& names) {
  const bool place = !is_flag(flag) || flag == "--out" || flag == "--notes";
  return place ? redacted(std::move(value), names) : redacted_word(std::move(value), names);
}

void redact_words(std::string& text, const PrivateNames& names) {
  text = redacted_word(std::move(text), names);
}

void redact_words(std::optional<std::string>& text, const PrivateNames& names) {
  if (text) redact_words(*text, names);
}

void redact_words(std::vector<std::string>& texts, const PrivateNames& names) {
  for (std::string& text : texts) redact_words(text, names);
}

void redact_words(bool /*flag*/, const PrivateNames& /*names*/) {}

struct OutcomeWords {
  const PrivateNames& names;
  void operator()(Crashed& crash) const { redact_text(crash.message, names); }
  void operator()(Failed& failure) const { redact_text(failure.message, names); }
  void operator()(const auto&) const {}  // other outcomes hold no text of the model
};

}  // namespace

void redact(Session& session, const PrivateNames& names) {
  // The first two words are the program and the verb.
  for (std::size_t i = 2; i < session.argv.size(); ++i) {
    std::string& word = session.argv[i];
    const std::size_t equals = word.find('=');
    if (!is_flag(word)) {
      word = value_without_names(session.argv[i - 1], std::move(word), names);
    } else if (equals != std::string::npos) {
      const std::string flag = word.substr(0, equals);
      word = flag + "=" + value_without_names(flag, word.substr(equals + 1), names);
    }
  }
  if (session.model) {
    for (std::string ModelSource::* words : {&ModelSource::model, &ModelSource::arguments,
                                             &ModelSource::loss, &ModelSource::optimizer}) {
      redact_words((*session.model).*words, names);
    }
  }
  std::apply(
      [&](const auto&... member) { (redact_words(session.request.*member.value, names), ...); },
      kMembers<Request>);
  for (auto& [variable, value] : session.environment) redact_text(value, names);
}

void redact(Launch& launch, const PrivateNames& names) {
  std::visit(OutcomeWords{names}, launch.outcome);
  for (std::string& warning : launch.warnings) redact_text(warning, names);
  for (Metric& metric : launch.metrics) redact_text(metric.reason, names);
  for (Metric& metric : launch.conditions) redact_text(metric.reason, names);
}

}  // namespace labreport
