#include "writers/latex/latex.h"

#include "base/text.h"
#include "writers/latex/latex_part.h"
#include "writers/latex/latex_text.h"
#include "writers/latex/latex_words.h"

namespace labreport {
namespace {

std::string preamble(const LatexOptions& options) {
  const std::string paper = options.paper == Paper::kLetter ? "letter" : "a4";
  return "% Made by labreport. Compile twice: pdflatex report.tex\n"
         "\\documentclass[11pt," +
         paper +
         "paper]{article}\n"
         R"(\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\IfFileExists{microtype.sty}{\usepackage{microtype}}{}
\usepackage[margin=2.3cm]{geometry}
\usepackage{amsmath,amssymb}
\usepackage{array,booktabs,longtable,float,graphicx}
\usepackage[font=small,labelfont=bf]{caption}
\usepackage[hidelinks,bookmarksdepth=2]{hyperref}
\pdfminorversion=7
\setlength{\parindent}{0pt}
\setlength{\parskip}{5pt plus 2pt minus 1pt}
\setlength{\emergencystretch}{4em}
\setlength{\LTcapwidth}{\linewidth}
\setcounter{tocdepth}{2}
\raggedbottom
)";
}

/// Lines of the title block, those that there are.
std::string block(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    text += (text.empty() ? "" : " \\\\\n") + latex_title(line);
  }
  return text;
}

std::string repository(const FrontMatter& front) {
  if (front.repository.empty()) return "";
  return latex_inlines({{.kind = Inline::Kind::kLink,
                         .text = "",
                         .target = front.repository,
                         .children = {{Inline::Kind::kText, front.repository, "", {}}}}});
}

std::string title_block(const Document& document) {
  const FrontMatter& front = document.front;
  std::string author = block({front.author, front.course});
  const std::string link = repository(front);
  if (!link.empty()) author += (author.empty() ? "" : " \\\\\n") + link;
  const std::string line = document.edition + " edition · " + document.preset + " preset · " +
                           document.date + (document.reference ? " · reference run" : "");
  return "\\title{" + latex_title(document.title) + ": " + latex_title(document.device) +
         "}\n\\hypersetup{pdftitle={" + latex_title(document.title) +
         "}}\n\\author{\\parbox{0.8\\linewidth}{\\centering " + author + "}" + "}\n\\date{" +
         latex_title(line) + "}\n";
}

std::string warning(const std::string& words) { return "\\textbf{" + words + "}\n\n"; }

std::string head(const Document& document) {
  std::string text = "\\maketitle\n\n";
  if (document.demonstration) {
    text += warning("CPU demonstration.") +
            "Tiny networks on a CPU: this report shows what one looks like, not what a GPU "
            "does.\n\n";
  }
  if (document.incomplete) text += warning("Interrupted run: cells are missing.");
  if (!document.provenance.empty()) {
    text += "{\\small\\centering " + latex_text(document.provenance) + "\\par}\n\n";
  }
  return text;
}

std::string reproduce(const Document& document, LatexParts& parts) {
  std::string text = "\\section{Reproduce}\n\n";
  if (!document.reproduce.empty()) text += latex_listing(document.reproduce) + "\n";
  return text + parts.table(document.environment, "reproduce");
}

/// The line of LaTeX's own article class, beside the report's.
constexpr double kLineOfOthers = 0.75;

constexpr const char* kFragmentHead = R"(% One part of a report, for \input in a document that loads
%   \usepackage[T1]{fontenc}
%   \usepackage{amsmath,amssymb,array,booktabs,longtable,graphicx,hyperref}
% and tells where the run's folder is, from the document: \graphicspath{{run/}}
)";

}  // namespace

std::string report_latex(const Document& document, const Prints& prints,
                         const LatexOptions& options) {
  LatexParts parts(prints, options, document.front, "H", 1);
  std::string text = preamble(options) + title_block(document) + "\n\\begin{document}\n\n" +
                     head(document) + "\\tableofcontents\n\n";
  for (const Section& section : document.sections) {
    text += "\\section{" + latex_title(section.title) + "}\n\n";
    if (section.asked()) text += "Problem " + latex_code(section.problem) + "\n\n";
    for (const Part& part : section.parts) text += parts.part(part);
  }
  if (!document.method.empty()) {
    text += "\\section{Method and limits}\n\n" + latex_markdown(document.method);
  }
  return text + reproduce(document, parts) + "\\end{document}\n";
}

std::string part_latex(const Part& part, const Prints& prints, const LatexOptions& options,
                       const FrontMatter& front) {
  LatexParts parts(prints, options, front, "htbp", kLineOfOthers);
  // Long names of kernels stand in narrow lines, which only spaces between words can fill.
  return kFragmentHead + std::string("{\\emergencystretch=8em\n") + parts.part(part) + "\\par}\n";
}

}  // namespace labreport
