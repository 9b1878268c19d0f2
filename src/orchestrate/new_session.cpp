#include "orchestrate/new_session.h"

#include "base/build_info.h"
#include "base/clock.h"
#include "base/machine.h"
#include "base/redaction.h"
#include "results/redaction.h"

namespace labreport {

Session new_session(const Request& request, bool keep_host, const DeviceChoice& choice,
                    const WorkerInfo& worker, const WorkerSetup& setup,
                    const std::vector<std::string>& argv) {
  const BuildInfo& build = build_info();
  Session session;
  session.started_at = utc_now();
  session.argv = argv;
  if (!session.argv.empty()) session.argv[0] = "labreport";
  if (build.revision != "unknown") session.revision = build.revision;
  session.dirty = build.dirty;
  session.cpu = cpu_model();
  session.cores = static_cast<std::int64_t>(usable_cores().size());
  session.software.libtorch = worker.torch;
  session.software.driver = choice.driver;
  session.model = setup.model;
  session.more_attentions = setup.more_attentions;
  session.request = request;
  session.environment = recorded_environment(request.keep_env);
  if (keep_host) {
    session.host = host_name();
  } else {
    redact(session, private_names());
  }
  return session;
}

Surroundings surroundings(const PlanInput& input, const DeviceChoice& choice,
                          const Session& session) {
  Surroundings now{input.edition.name,
                   std::string(name(input.preset)),
                   session.revision,
                   session.dirty,
                   session.software.libtorch,
                   choice.driver,
                   {},
                   {}};
  now.implementation = implementations(session);
  for (const Gpu& gpu : choice.gpus) now.gpu_hashes.push_back(uuid_hash(gpu.uuid));
  return now;
}

}  // namespace labreport
