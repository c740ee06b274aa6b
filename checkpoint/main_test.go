package checkpoint_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }
