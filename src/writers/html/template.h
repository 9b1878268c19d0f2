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

/// Replaces `{{tag}}` by its value escaped for HTML and `{{{tag}}}` by its value unchanged. Throws
/// `Error` if neither `values` nor the list item around the tag has a value for it.
std::string fill_template(std::string_view name, const TemplateObject& values);

/// Returns a list with one item for each text; the template writes it as `{{text}}`.
TemplateList text_list(const std::vector<std::string>& texts);

/// Escapes & < > " and ' for HTML text and quoted attributes.
std::string escape_html(const std::string& text);

/// Returns Markdown as HTML, with formulas as MathML, raw HTML as text and without unsafe links.
/// `formulas` holds formulas of the author's notes; those of the report itself are built in.
std::string markdown_to_html(std::string_view markdown, const Formulas& formulas = {});

}  // namespace labreport
