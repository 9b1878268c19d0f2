// HTML templates (templates/*.html), filled strictly: an unknown tag is an error.
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "document/formulas.h"

namespace labreport {

using TemplateObject = kainjow::mustache::object;
using TemplateList = kainjow::mustache::list;

/// `{{tag}}` is escaped for HTML, `{{{tag}}}` is HTML already. Throws `Error` naming the template
/// and the tag that `values` (or the list item around it) does not hold.
std::string fill_template(std::string_view name, const TemplateObject& values);

/// One item a text, which `{{text}}` stands for.
TemplateList text_list(const std::vector<std::string>& texts);

/// Escapes & < > " and ' for HTML text and quoted attributes.
std::string escape_html(const std::string& text);

/// Markdown as HTML, formulas as MathML; raw HTML in it is text, unsafe links are left out.
/// `formulas`: those that no section has.
std::string markdown_to_html(std::string_view markdown, const Formulas& formulas = {});

}  // namespace labreport
