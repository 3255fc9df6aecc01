// Not part of a default run: `ctest -L slow`.
#include "cli/fit_command.hpp"

namespace giga::test {
namespace {

TEST_F(KilledFit, ResumesToTheSameBytesFromTwoHundredMoments) {
  kill_and_resume(200, 2);
}

}  // namespace
}  // namespace giga::test
