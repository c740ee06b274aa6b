package worlds

import (
	"errors"
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/seeds"
)

var (
	worldFlag = flag.String("world", "", "run this world alone")
	countFlag = flag.Uint64("worlds", 300, "how many worlds to run")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWorlds(t *testing.T) {
	if *worldFlag != "" {
		w, err := Parse(*worldFlag)
		require.NoError(t, err)
		_, err = w.Run()
		require.NoError(t, err)
		return
	}
	tries(t, Options{Seed: seeds.Of(t), Worlds: *countFlag})
}

// Worlds that save their state continue on other numbers of ranks.
func TestSavingWorlds(t *testing.T) {
	tries(t, Options{Seed: seeds.Of(t), Worlds: *countFlag / 4, Saving: true})
}

// Worlds in which processes connect, over a network with faults.
func TestConnectingWorlds(t *testing.T) {
	tries(t, Options{Seed: seeds.Of(t), Worlds: *countFlag, Connecting: true})
}

func tries(t *testing.T, o Options) {
	report, err := Try(t.Context(), o)
	var failure *Failure
	if errors.As(err, &failure) {
		t.Fatalf("after %d worlds\n%v\n-world='%v'\ndrawn as '%v'",
			report.Worlds, failure.Err, failure.World, failure.Drawn)
	}
	t.Logf("%+v", report)
}

func TestText(t *testing.T) {
	for seed := range uint64(1000) {
		for _, w := range []World{Draw(seed), drawConnecting(seed)} {
			again, err := Parse(w.String())
			require.NoError(t, err)
			require.Equal(t, w, again)
		}
	}
}
