#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "measure/timing/start_up.h"
#include "worker/worker.h"

int main(int argc, char** argv) {
  labreport::note_main_reached();
  const int status = labreport::run_worker(std::vector<std::string>(argv + 1, argv + argc));
  std::fflush(nullptr);
  // Not by `return`: static destructors of LibTorch may abort after a good run.
  _exit(status);
}
