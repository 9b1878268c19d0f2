#include "results/redaction.h"

#include <utility>

#include "results/run_json_keys.h"

namespace labreport {
namespace {

void leave_out(std::string& text, const PrivateNames& names) {
  text = redacted(std::move(text), names);
}

bool is_flag(const std::string& word) { return word.starts_with("--"); }

/// Redacts a flag's value. In a folder's path the host's name is replaced wherever it is a word.
/// Other values may equal it by chance, so there it is replaced only in a path or an address.
std::string value_without_names(const std::string& flag, std::string value,
                                const PrivateNames& names) {
  const bool place = !is_flag(flag) || flag == "--out" || flag == "--notes";
  return place ? redacted(std::move(value), names) : redacted_word(std::move(value), names);
}

void leave_out_of_command(std::vector<std::string>& argv, const PrivateNames& names) {
  for (std::size_t i = 2; i < argv.size(); ++i) {
    std::string& word = argv[i];
    const std::size_t equals = word.find('=');
    if (!is_flag(word)) {
      word = value_without_names(argv[i - 1], std::move(word), names);
    } else if (equals != std::string::npos) {
      const std::string flag = word.substr(0, equals);
      word = flag + "=" + value_without_names(flag, word.substr(equals + 1), names);
    }
  }
}

void leave_out_of_words(std::string& text, const PrivateNames& names) {
  text = redacted_word(std::move(text), names);
}

void leave_out_of_words(std::optional<std::string>& text, const PrivateNames& names) {
  if (text) leave_out_of_words(*text, names);
}

void leave_out_of_words(std::vector<std::string>& texts, const PrivateNames& names) {
  for (std::string& text : texts) leave_out_of_words(text, names);
}

void leave_out_of_words(bool /*given*/, const PrivateNames& /*names*/) {}

struct OutcomeWords {
  const PrivateNames& names;
  void operator()(Crashed& crash) const { leave_out(crash.message, names); }
  void operator()(Failed& failure) const { leave_out(failure.message, names); }
  void operator()(const auto&) const {}  // the other outcomes hold no foreign text
};

}  // namespace

void redact(Session& session, const PrivateNames& names) {
  leave_out_of_command(session.argv, names);
  if (session.model) {
    for (std::string ModelSource::* words : {&ModelSource::model, &ModelSource::arguments,
                                             &ModelSource::loss, &ModelSource::optimizer}) {
      leave_out_of_words((*session.model).*words, names);
    }
  }
  std::apply(
      [&](const auto&... member) {
        (leave_out_of_words(session.request.*member.value, names), ...);
      },
      kMembers<Request>);
  for (auto& [variable, value] : session.environment) leave_out(value, names);
}

void redact(Launch& launch, const PrivateNames& names) {
  std::visit(OutcomeWords{names}, launch.outcome);
  for (std::string& warning : launch.warnings) leave_out(warning, names);
  for (Metric& metric : launch.metrics) leave_out(metric.reason, names);
  for (Metric& metric : launch.conditions) leave_out(metric.reason, names);
}

}  // namespace labreport
