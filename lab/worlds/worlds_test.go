package worlds

import (
	"errors"
	"flag"
	"math/rand/v2"
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

// With one frame of credit, one pebble per frame, and links of different stages, ranks do not wait in a circle.
func TestTightCredit(t *testing.T) {
	first := seeds.Of(t)
	for i := range *countFlag / 4 {
		w := tight(first + i)
		_, err := w.Run()
		require.NoError(t, err, "-world='%v'", w)
	}
}

// tight returns a world with the least possible credit, over a topology with stages: in every other world a hypercube
// of a power of two.
func tight(seed uint64) World {
	w := Draw(seed)
	d := drawn{rand.New(rand.NewPCG(seed, 0x7469676874))}
	w.Topology = one(d, "hypercube", "mesh:2", "mesh:3", "tree", "two-stage")
	w.Ranks = 4 + d.IntN(13)
	if seed%2 == 0 {
		w.Topology, w.Ranks = "hypercube", 4<<d.IntN(3)
	}
	w.Processes = 2 + d.IntN(w.Ranks-1)
	w.Coalesce, w.Credits, w.Cache, w.Pebbles = 1+d.IntN(2), 1, 0, 5+d.IntN(20)
	w.Death, w.Loss, w.Corrupt, w.Freeze, w.Partition = 0, 0, 0, 0, 0
	return w.repaired()
}

func TestWorldsThatHaveFailed(t *testing.T) {
	for _, world := range []struct{ why, text string }{
		{"rescued pebbles were taken off what the rank had passed on, so that simulated time overflowed",
			"seed=16539762672133154138 ranks=3 processes=1 per-host=1 local=1 topology=dynamic:direct detector=skr " +
				"coalesce=2 targets=1 marks=6 keys=3 epochs=1 pebbles=17 depth=2 declared=1 fan=1 delay=11"},
		{"a key on its way waited at a hop for an idle rank, which pebbles that looked for it kept busy",
			"seed=5058340414029162694 ranks=3 processes=1 per-host=1 topology=mesh:2 detector=skr coalesce=2 targets=1 " +
				"moving=1 moves=98 keys=1 epochs=3 pebbles=20 depth=1 declared=1 fan=1 flush=50"},
		{"a tuner went back to a topology whose plan had not heard of marks since, and pebbles circled",
			"seed=17531087585224564114 ranks=8 processes=1 per-host=1 topology=dynamic:hypercube detector=skr coalesce=1 " +
				"tune=7 targets=1 kinds=1 marks=5 keys=17 epochs=4 pebbles=17 depth=2 fan=2 batch=100 delay=30"},
		{"a key that the main function moved waited for the budget, which pebbles that looked for it used up",
			"seed=5416374679197348672 ranks=2 processes=1 per-host=1 topology=direct detector=skr coalesce=1 budget=1 " +
				"targets=1 moving=1 moves=98 keys=1 epochs=1 pebbles=4 depth=3 fan=3"},
		{"a task waited for the backlog of a link that a mark had emptied",
			"seed=35 ranks=9 processes=1 topology=dynamic:mesh:2 detector=auto coalesce=4 credits=1 targets=1 marks=91 " +
				"keys=20 epochs=1 pebbles=50 depth=3 fan=2 tasks=14 workers=3 ops=1"},
	} {
		w, err := Parse(world.text)
		require.NoError(t, err, world.why)
		_, err = w.Run()
		require.NoError(t, err, world.why)
	}
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
