#include "worker/arguments.h"

#include "base/error.h"

namespace labreport {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw InputError(problem,
                   "usage: labreport-worker --request FILE --result FILE [--nvtx] | --version");
}

void take_path(const std::vector<std::string>& arguments, std::size_t& position,
               std::filesystem::path& path) {
  const std::string& flag = arguments[position];
  if (!path.empty()) refuse(flag + " is given twice");
  if (++position == arguments.size() || arguments[position].empty()) refuse(flag + " needs a file");
  path = arguments[position];
}

}  // namespace

WorkerArguments parse_worker_arguments(const std::vector<std::string>& arguments) {
  if (arguments == std::vector<std::string>{"--version"}) return {true, {}, {}, false};
  WorkerArguments parsed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--request") {
      take_path(arguments, i, parsed.request);
    } else if (arguments[i] == "--result") {
      take_path(arguments, i, parsed.result);
    } else if (arguments[i] == "--nvtx") {
      parsed.nvtx = true;
    } else {
      refuse("unknown argument '" + arguments[i] + "'");
    }
  }
  if (parsed.request.empty()) refuse("--request is missing");
  if (parsed.result.empty()) refuse("--result is missing");
  return parsed;
}

}  // namespace labreport
