// Tests that interrupts wait for `HeldInterrupts::throw_if_interrupted`.
#include "orchestrate/subprocess_interrupts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "orchestrate/subprocess.h"

namespace labreport::interrupts_test {
namespace {

TEST(HeldInterrupts, AreThrownOnDemandAndForgottenAtTheEnd) {
  {
    const HeldInterrupts held;
    EXPECT_NO_THROW(HeldInterrupts::throw_if_interrupted());
    kill(getpid(), SIGHUP);
    EXPECT_THROW(HeldInterrupts::throw_if_interrupted(), Interrupted);
  }
  const HeldInterrupts held;
  EXPECT_NO_THROW(HeldInterrupts::throw_if_interrupted());
}

TEST(HeldInterrupts, EndAChildAndAreThrown) {
  const HeldInterrupts held;
  Command sleeping;
  sleeping.argv = {"sleep", "60"};
  kill(getpid(), SIGTERM);
  EXPECT_THROW(run_to_end(sleeping), Interrupted);
  EXPECT_THROW(HeldInterrupts::throw_if_interrupted(), Interrupted) << "it is known for good";
}

}  // namespace
}  // namespace labreport::interrupts_test
