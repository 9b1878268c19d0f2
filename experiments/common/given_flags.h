// The flags of the command that began a session, as presenters read them from a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// "--flag=value", "--flag value" and "--flag one two", in the order given; empty where it is not.
std::vector<std::string> given_values(const Session& session, std::string_view flag);

/// Of a flag that takes no value.
bool is_given(const Session& session, std::string_view flag);

}  // namespace labreport
