package treadmarks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// What a kernel leaves wrong is counted: one change of the data on the last of three ranks, after the kernel.
func TestVerifiersNotice(t *testing.T) {
	for p, harm := range map[Program]func(main part){
		Barrier: func(main part) { main.(*barriers).want(1, 2) },
		Lock:    func(main part) { main.(*locks).taken++ },
		Page:    func(main part) { main.(*faults).want(1, 2) },
		Diff:    func(main part) { main.(*diffs).want(1, 2) },
		Jacobi: func(main part) {
			j := main.(*jacobi)
			j.halos.(*pageHalos).grids[j.config.Rounds%2].Write(j.own())[40] += 1e-12
		},
		SOR:        func(main part) { s := main.(*sor); s.colours[1].Write(s.own())[9] = 7 },
		TSP:        func(main part) { main.(*tsp).wrong++ },
		FFT:        func(main part) { main.(*fft).forward[3] += 1e-12 },
		SpMV:       func(main part) { main.(*spmv).out[2] += 1e-12 },
		BucketSort: func(main part) { b := main.(*bucketSort); b.sorted.Write(b.own())[5]++ },
	} {
		for _, harmed := range []bool{false, true} {
			s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				c := p.withDefaults(small[p])
				result := Result{}
				u := &run{rank: r, config: c, memory: memory.New(r), result: &result}
				u.space = pages.New(u.memory, pages.Config{})
				main := programs[p].make(u)
				if err := main.load(); err != nil {
					return err
				}
				if err := u.space.Barrier(); err != nil {
					return err
				}
				if err := main.kernel(); err != nil {
					return err
				}
				if harmed && r.ID() == 2 {
					harm(main)
				}
				if err := main.judge(); err != nil {
					return err
				}
				if harmed {
					require.EqualValues(t, 1, result.Errors, "%s: %v", p, result.Wrong)
				} else {
					require.Zero(t, result.Errors, "%s: %v", p, result.Wrong)
				}
				return nil
			}), p)
		}
	}
}

// A tour that leaves a city out, or says another length than it has, is none.
func TestWhole(t *testing.T) {
	c := newCities(3, 9)
	best := c.first()
	require.True(t, whole(c, best))
	longer := best
	longer.Length++
	require.False(t, whole(c, longer))
	twice := best
	twice.Path[3] = twice.Path[4]
	require.False(t, whole(c, c.measured(twice)))
	// A length that is not the shortest is found beside the serial twin.
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		u := &run{rank: r, config: TSP.withDefaults(Config{Size: 6, Rounds: 1}), result: &Result{}}
		main := &tsp{run: u, lengths: []int{1}}
		err := main.judge()
		require.EqualValues(t, 1, u.result.Errors)
		return err
	}))
}
