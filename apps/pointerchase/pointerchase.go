// Package pointerchase is the PointerChase benchmark on Active Pebbles for Go (Active Pebbles, section 4.2). One small
// message goes around a random ring of all ranks, many times. Each step depends on the one before, so it measures only
// the time of a single pebble from one rank to another.
//
// The handler does all of it: it checks the step of the message, and sends it to the next rank of the ring. The main
// function of the first rank starts it, and the end of the epoch shows that it has made its last step. Waiting for more
// pebbles gains nothing, so the coalescing factor is 1, whatever the job's is, without a reduction cache.
package pointerchase

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Config configures a run of PointerChase, as described in package apps.
type Config struct {
	apps.Common        // Seed determines the ring; Progress counts rounds, in about a hundred calls
	Rounds      uint64 // of the message around the ring. 0 means 1,000
}

const hopsMax = 1 << 60

func (c Config) withDefaults() Config {
	c.Rounds = cmp.Or(c.Rounds, 1000)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	if c.Rounds > hopsMax/uint64(ranks) {
		return fmt.Errorf("pointerchase: %d rounds of %d ranks are too many: give fewer", c.Rounds, ranks)
	}
	return nil
}

// Result is the report of a run of PointerChase.
type Result struct {
	apps.Report
	Hops          uint64  `json:"hops"` // steps of the message along the ring
	SecondsPerHop float64 `json:"seconds_per_hop"`
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"hops", fmt.Sprint(r.Hops)},
		{"time per hop", fmt.Sprintf("%.3f µs", r.SecondsPerHop*1e6)},
	}
}

// Run runs PointerChase on a job, as described in package apps. It registers one target. The result's Errors include
// visits that were missed or out of turn.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	return newBench(r, c.withDefaults()).run()
}

func (b *bench) run() (Result, error) {
	result := Result{Report: apps.NewReport(b.rank, "pointerchase", b.config.Seed), Hops: b.last}
	result.Coalesce, result.Cache = 1, 0
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel,
		Rate:   func() { result.SecondsPerHop = result.Seconds / float64(result.Hops) },
		Wrong:  func() (uint64, string) { return b.verify(), "visits of the message did not happen, or out of turn" },
		Tally:  &b.tally,
	})
	return result, err
}

// message is the pebble: its destination rank, and the number of its steps on arrival there.
type message struct{ To, Hop uint64 }

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	place  uint64 // this rank's position in the ring
	next   uint64 // the rank after this one in the ring
	last   uint64 // total number of steps
	send   func(message)
	tally  apps.Tally // of visits
	errors uint64     // visits out of turn
}

func newBench(r *pebble.Rank, c Config) *bench {
	ranks := uint64(r.Size())
	g := newRing(r.Size(), c.Seed)
	place := g.position(uint64(r.ID()))
	return &bench{
		rank: r, config: c, place: place, next: g.at((place + 1) % ranks), last: c.Rounds * ranks,
		tally: apps.Tally{Sent: c.Rounds},
	}
}

// kernel makes all steps of the message, in one epoch.
func (b *bench) kernel() error {
	ranks := b.rank.Size()
	t := target.New(b.rank, "visit", distribution.Ranks(ranks),
		target.Key(func(m message) uint64 { return m.To }),
		target.Each(b.visit), target.Coalesce(1))
	b.send = t.Send
	return b.rank.Epoch(func() error {
		if b.place == 0 {
			b.send(message{b.next, 1})
		}
		return nil
	}, pebble.Named("chase"))
}

// visit is the handler.
func (b *bench) visit(m message) {
	own := m.To == uint64(b.rank.ID())
	if b.tally.Take(0, own); own && m.Hop != b.turn(b.tally.Handled) {
		b.errors++
	}
	visits := b.tally.Handled
	b.config.Progress.Passed(b.rank, max(1, b.config.Rounds/100), visits-1, visits, b.config.Rounds)
	if m.Hop < b.last {
		b.send(message{b.next, m.Hop + 1})
	}
}

// turn returns the step of the message's n-th visit here: once per round, at this rank's place. The first position is
// the last of each round.
func (b *bench) turn(n uint64) (hop uint64) {
	ranks := uint64(b.rank.Size())
	if b.place == 0 {
		return n * ranks
	}
	return (n-1)*ranks + b.place
}

// verify returns the number of errors at this rank.
func (b *bench) verify() (errors uint64) {
	return b.errors + max(b.tally.Handled, b.config.Rounds) - min(b.tally.Handled, b.config.Rounds)
}

// ring is a random cyclic order of the ranks. It takes no memory for each rank.
type ring struct{ order *distribution.ShuffledMap }

func newRing(ranks int, seed uint64) ring {
	// A shuffled distribution deals out its keys in the order of a bijection. One rank gets all of them.
	return ring{distribution.Shuffled(uint64(ranks), 1, seed)}
}

// position returns the position of a rank in the ring, from 0 on.
func (g ring) position(rank uint64) uint64 { return uint64(g.order.Local(rank)) }

// at returns the rank at a position.
func (g ring) at(position uint64) (rank uint64) { return g.order.Key(0, int(position)) }

// Serial is PointerChase without a job. It returns the ranks that the message visits, step by step.
func Serial(ranks int, c Config) (visited []int) {
	c = c.withDefaults()
	g := newRing(ranks, c.Seed)
	order := make([]int, ranks)
	for rank := range order {
		order[g.position(uint64(rank))] = rank
	}
	for range c.Rounds {
		visited = append(visited, order[1:]...)
		visited = append(visited, order[0])
	}
	return visited
}
