// How help looks, whatever version of the parser is installed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace labreport {

class Help : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// "--sizes": how a flag is written.
std::string flag_name(const CLI::Option& option);

}  // namespace labreport
