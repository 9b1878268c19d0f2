#include "report/xml_text.h"

namespace labreport {

std::string xml_text(std::string_view text) {
  constexpr std::string_view kNoCharacters[] = {"\xEF\xBF\xBE", "\xEF\xBF\xBF"};
  constexpr std::string_view kReplacement = "\uFFFD";
  std::string xml;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto letter = static_cast<unsigned char>(text[i]);
    const std::string_view three = text.substr(i, 3);
    if (letter < 0x20 && letter != '\t' && letter != '\n' && letter != '\r') {
      xml += kReplacement;
    } else if (three == kNoCharacters[0] || three == kNoCharacters[1]) {
      xml += kReplacement;
      i += 2;
    } else {
      xml += text[i];
    }
  }
  return xml;
}

void make_drawable(nlohmann::json& spec) {
  if (spec.is_string()) {
    spec = xml_text(spec.get<std::string>());
  } else if (spec.is_structured()) {
    for (nlohmann::json& inner : spec) make_drawable(inner);
  }
}

}  // namespace labreport
