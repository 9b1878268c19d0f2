// Preloaded into a program, this wall clock jumps an hour forward and an hour back, in turn. The
// program must measure durations by another clock.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace {

constexpr std::time_t kHour = 3600;

std::time_t next_jump() {
  static std::atomic<int> calls{0};
  return calls++ % 2 == 0 ? kHour : -kHour;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) {
  const auto status = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (status == 0 && clock == CLOCK_REALTIME) now->tv_sec += next_jump();
  return status;
}

std::time_t time(std::time_t* result) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
