package launch_test

import (
	"flag"
	"os"
	"runtime"
	"testing"

	"go.uber.org/goleak"
)

// roleVariable makes the test binary play a part in a job instead of running the tests.
const roleVariable = "LAUNCH_TEST_ROLE"

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleVariable); ok {
		os.Unsetenv(roleVariable)
		play(role)
	}
	runtime.GOMAXPROCS(2)              // jobs have the ranks of a machine of two cores
	_ = flag.Set("test.parallel", "6") // most of these wait for processes, and these for limits
	goleak.VerifyTestMain(m)
}
