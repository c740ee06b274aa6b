package target_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// agent is the state of a key that moves.
type agent [5]uint64

// carries is a pebble of the size of a move.
type carries struct {
	Key, Version uint64
	To           uint32
	State        agent
}

// BenchmarkMoves gives each of 100,000 agents another owner in each step, beside plain pebbles of the same size: both
// put agents into slices. Steps take turns within one job.
func BenchmarkMoves(b *testing.B) {
	const agents, ranks = 100_000, 2
	var moves, plain []time.Duration
	require.NoError(b, run(b, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		at := make([]agent, agents)
		d := target.NewDirectory(r, "agents", distribution.Block(agents, ranks),
			func(key uint64) agent { return at[key] }, func(key uint64, s agent) { at[key] = s })
		direct := target.New(r, "plain", distribution.Ranks(ranks),
			target.Key(func(c carries) uint64 { return uint64(c.To) }), target.Each(func(c carries) { at[c.Key] = c.State }))
		step := func(from int, send func(key uint64)) time.Duration {
			_ = r.Barrier()
			began := time.Now()
			_ = r.Epoch(func() error {
				for key := uint64(from); key < uint64(from)+agents/ranks; key++ {
					send(key)
				}
				return nil
			})
			return time.Since(began)
		}
		for i := range 15 {
			other, mine := 1-r.ID(), (r.ID()+i)%ranks*agents/ranks
			p := step(mine, func(key uint64) { direct.Send(carries{Key: key, To: uint32(other), State: at[key]}) })
			m := step(mine, func(key uint64) { d.Move(key, other) })
			if r.ID() == 0 {
				moves, plain = append(moves, m), append(plain, p)
			}
		}
		return nil
	}))
	ratios := make([]float64, len(moves))
	for i := range moves {
		ratios[i] = moves[i].Seconds() / plain[i].Seconds()
	}
	slices.Sort(ratios)
	slices.Sort(moves)
	b.ReportMetric(ratios[len(ratios)/2], "of-plain")
	b.ReportMetric(float64(moves[len(moves)/2].Nanoseconds())/(agents/ranks), "ns/move")
}
