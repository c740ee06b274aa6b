package worlds

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Worlds that have failed before.
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
