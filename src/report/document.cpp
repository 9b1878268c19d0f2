#include "report/document.h"

namespace labreport {

std::string Part::anchor() const { return letter.empty() ? problem : problem + "-" + letter; }

}  // namespace labreport
