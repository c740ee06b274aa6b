package checkpoint_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleVariable); ok {
		member(role)
	}
	goleak.VerifyTestMain(leaks.Main(m))
}
