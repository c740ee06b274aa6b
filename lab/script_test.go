package lab

import (
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/scripttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// script returns a case whose command is a few lines of shell.
func script(t *testing.T, name, text string) Case {
	t.Helper()
	file := filepath.Join(t.TempDir(), "app")
	scripttest.Write(t, file, text)
	return Case{Name: name, Args: []string{file}, Field: "rate", Unit: "M/s"}
}

// prints returns a case that prints a text.
func prints(t *testing.T, name, text string) Case { return script(t, name, "echo '"+text+"'") }

// near is the probe of a machine whose state does not change.
func near() time.Duration { return 60 }

// once measures each case of a group once.
func once(t *testing.T, cases ...Case) (Results, error) {
	return Alternate(t.Context(), []Group{{Name: "G", About: "About G.", Cases: cases}},
		Options{Repeats: 1, Probe: near})
}
