package container_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
)

// TestMain checks that no test leaves a goroutine or a file behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }
