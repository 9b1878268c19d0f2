#include "engine/collectives_backend.h"

#ifdef USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace labreport {

CollectivesBackend make_gloo(const BackendSettings& settings) {
  using Gloo = c10d::ProcessGroupGloo;
  auto options = Gloo::Options::create(settings.timeout);
  options->devices.push_back(Gloo::createDeviceForHostname("127.0.0.1"));
  return c10::make_intrusive<Gloo>(settings.store, settings.rank, settings.size, options);
}

}  // namespace labreport
#else

namespace labreport {

CollectivesBackend make_gloo(const BackendSettings&) { throw NotOffered(LABREPORT_NO_GLOO); }

}  // namespace labreport
#endif
