// Which command of LaTeX's stands for which character.
#pragma once

#include <string>

namespace labreport {

/// The command or letter for a Unicode character beyond ASCII; empty where there is none.
std::string latex_sign(char32_t sign);

}  // namespace labreport
