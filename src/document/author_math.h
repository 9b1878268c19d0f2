// Cuts formulas out of Markdown that a person wrote (document/formulas.h tells why).
#pragma once

#include <string_view>

#include "document/formulas.h"

namespace labreport {

/// Cuts the formulas that `cut_math` finds and those in `\(…\)`, `\[…\]` and GitHub's $`…`$.
/// Words may stand between escaped brackets, too. A formula has a command, a script or a relation;
/// in `\(…\)` it is enough that no two letters stand side by side.
CutMarkdown cut_author_math(std::string_view markdown);

}  // namespace labreport
