// A worker that measures nothing. It writes plausible results, or misbehaves in the way that the
// environment variable FAKE_WORKER or else the name of the cell's size names.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>

#include "base/files.h"
#include "fake_report.h"
#include "fake_result_files.h"
#include "results/run_json.h"

namespace labreport {
namespace {

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

struct Job {
  LaunchRequest request;
  std::string result_file;

  void write(const LaunchReport& report) const {
    write_atomically(result_file, to_json(report), Sync::kNothing);
  }
  void write_text(const std::string& text) const { std::ofstream(result_file) << text; }
  void write_good() const { write(good_report(request)); }
  void write_outcome(Outcome outcome) const {
    LaunchReport report = good_report(request);
    report.body.metrics.clear();
    report.body.outcome = std::move(outcome);
    write(report);
  }
};

int no_device(const Job& job) {
  job.write_outcome(Failed{"CUDA cannot start: the driver is too old"});
  return 3;
}

int run_out_of_memory(const Job& job) {
  job.write_outcome(OutOfMemory{"backward", 2LL << 30, 138LL << 30, 139LL << 30});
  return 0;
}

int answer_for_another_launch(const Job& job) {
  LaunchReport report = good_report(job.request);
  ++report.launch;
  job.write(report);
  return 0;
}

int answer_for_another_cell(const Job& job) {
  LaunchReport report = good_report(job.request);
  report.cell_id = "timing.cuda.other";
  job.write(report);
  return 0;
}

int make_noise(const Job& job) {
  std::cerr << "the first words\n";
  const std::string line(1023, 'x');
  for (int i = 0; i < 64 << 10; ++i) std::cerr << line << '\n';
  std::cerr << "the last words" << std::endl;
  job.write_good();
  return 0;
}

int leave_a_child(const Job& job) {
  if (fork() == 0) {
    sleep_for(600);
    _exit(0);
  }
  job.write_good();
  return 0;
}

template <void (*leave_result)(const std::string&, const LaunchReport&)>
int leave(const Job& job) {
  leave_result(job.result_file, good_report(job.request));
  return 0;
}

using Behavior = std::function<int(const Job&)>;

const std::map<std::string, Behavior>& behaviors() {
  static const std::map<std::string, Behavior> all{
      {"oom", run_out_of_memory},
      {"oom_first",
       [](const Job& job) {
         if (job.request.launch == 0) return run_out_of_memory(job);
         job.write_good();
         return 0;
       }},
      {"gives_up",
       [](const Job& job) {
         sleep_for(0.2);
         job.write_outcome(TimedOut{job.request.rendezvous->timeout_seconds});
         return 4;
       }},
      {"watchdog",
       [](const Job&) {
         sleep_for(0.2);
         std::cerr << "[rank0]: [PG ID 0] ProcessGroupNCCL's watchdog got stuck" << std::endl;
         return raise(SIGABRT);
       }},
      {"throws",
       [](const Job& job) {
         job.write_outcome(Failed{"shape mismatch"});
         return 0;
       }},
      {"no_device", no_device},
      {"another", answer_for_another_cell},
      {"another_launch", answer_for_another_launch},
      {"aborts",
       [](const Job&) {
         std::cerr << "terminate called after throwing" << std::endl;
         return raise(SIGABRT);
       }},
      {"endless",
       [](const Job&) {
         for (const std::string line(1023, 'x');; std::cerr << line << '\n') continue;
         return 0;
       }},
      {"endless_result", leave<leave_endless>},
      {"pipe_result", leave<leave_pipe>},
      {"link_result", leave<leave_link>},
      {"loop_result", leave<leave_loop>},
      {"folder_result", leave<leave_folder>},
      {"wrong_json",
       [](const Job& job) {
         job.write_text(R"({"cell_id": 7, "launch": "no", "body": []})");
         return 0;
       }},
      {"deep_json", leave<leave_deep>},
      {"noise", make_noise},
      {"leaves_child", leave_a_child},
      {"nothing", [](const Job&) { return 0; }},
      {"status7",
       [](const Job&) {
         std::cerr << "what(): no such kernel" << std::endl;
         return 7;
       }},
      {"fails_fp32",
       [](const Job& job) {
         if (job.request.spec.precision == Precision::kFp32) return 7;
         job.write_good();
         return 0;
       }},
      {"segv",
       [](const Job&) {
         std::cerr << "about to touch nothing\xff" << std::endl;
         std::signal(SIGSEGV, SIG_DFL);  // A sanitizer's handler would exit instead.
         return raise(SIGSEGV);
       }},
      {"killed", [](const Job&) { return raise(SIGKILL); }},
      {"hangs",
       [](const Job&) {
         sleep_for(600);
         return 0;
       }},
      {"stubborn",
       [](const Job&) {
         std::signal(SIGTERM, SIG_IGN);
         sleep_for(600);
         return 0;
       }},
      {"garbage",
       [](const Job& job) {
         job.write_text("\x01\x02 not JSON");
         return 0;
       }},
      {"half",
       [](const Job& job) {
         const std::string text = to_json(good_report(job.request));
         job.write_text(text.substr(0, text.size() / 2));
         return 0;
       }},
      {"dies_after",
       [](const Job& job) {
         job.write_good();
         return raise(SIGABRT);
       }},
      {"hangs_after",
       [](const Job& job) {
         job.write_good();
         sleep_for(600);
         return 0;
       }},
      {"slow",
       [](const Job& job) {
         sleep_for(0.3);
         job.write_good();
         return 0;
       }},
      // Each launch adds a line to the file FAKE_WORKER_LOG when it begins, and another one when it
      // ends, FAKE_WORKER_NAP seconds later.
      {"logs", [](const Job& job) {
         const std::string id =
             cell_id(job.request.spec) + "." + std::to_string(job.request.launch) + "\n";
         std::ofstream(environment_variable("FAKE_WORKER_LOG"), std::ios::app) << "begin " + id;
         const std::string seconds = environment_variable("FAKE_WORKER_NAP");
         sleep_for(seconds.empty() ? 0.1 : std::stod(seconds));
         std::ofstream(environment_variable("FAKE_WORKER_LOG"), std::ios::app) << "end " + id;
         job.write_good();
         return 0;
       }}};
  return all;
}

int work(const std::string& request_file, const std::string& result_file) {
  const Job job{request_from_json(read_file(request_file), request_file), result_file};
  std::string behavior = environment_variable("FAKE_WORKER");
  if (behavior.empty()) behavior = job.request.spec.size;
  // "segv@hangs" is segv for rank 1 and hangs for all other ranks.
  if (const auto at = behavior.find('@'); at != std::string::npos) {
    const bool is_rank_1 = job.request.rendezvous->rank == 1;
    behavior = is_rank_1 ? behavior.substr(0, at) : behavior.substr(at + 1);
  }
  const auto found = behaviors().find(behavior);
  if (found != behaviors().end()) return found->second(job);
  job.write_good();
  return 0;
}

/// Answers like the worker for models, which cannot load a model in missing.py.
int describe_model(const std::string& source) {
  if (source.find("missing.py") != std::string::npos) {
    std::cerr << "Traceback (most recent call last)\nthere is no file missing.py" << std::endl;
    return 2;
  }
  const bool is_other = source.find("other.py") != std::string::npos;
  std::cout << R"({"implementation": ")" << (is_other ? "Other-4e5f6a7b" : "Net-0a1b2c3d") << '"';
  if (source.find("fixed_size.py") != std::string::npos) {
    std::cout
        << R"(, "step": {"precision": "bf16", "takes_size": false, "takes_context": false, "compiles": false})";
  } else if (source.find("\"step\"") != std::string::npos) {
    std::cout << R"(, "step": {"takes_size": true, "takes_context": true, "compiles": false})";
  }
  std::cout << "}" << std::endl;
  return 0;
}

/// Answers like the worker for models about a checkout of the course with two parts. The sharded
/// optimizer cannot be loaded as long as the checkout has a file "broken".
int describe_course(const std::string& folder) {
  const bool is_broken = std::filesystem::exists(folder + "/broken");
  std::cout
      << R"({"edition": "2026", "parts": [{"flag": "--attention", "value": "adapters.py:get_attention"}, )"
      << R"({"flag": "--sharded-optimizer", "value": ")"
      << (is_broken ? "missing.py" : "adapters.py") << R"(:get_sharded_optimizer"}], )"
      << R"("missing": [{"flag": "--fsdp", "reason": "get_fsdp raises NotImplementedError"}]})"
      << std::endl;
  return 0;
}

}  // namespace
}  // namespace labreport

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::cout << "{}" << std::endl;
    return 0;
  }
  if (argc == 3 && std::string(argv[1]) == "--describe") return labreport::describe_model(argv[2]);
  if (argc == 3 && std::string(argv[1]) == "--course") return labreport::describe_course(argv[2]);
  return argc == 5 ? labreport::work(argv[2], argv[4]) : 2;
}
