package shm_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(rivalVariable) != "" { // a process that a test has started must never run the tests: it would start more of them
		rival()
	}
	goleak.VerifyTestMain(m)
}
