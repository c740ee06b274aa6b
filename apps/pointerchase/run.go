package pointerchase

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Run runs PointerChase on a job. Every rank calls it once, between epochs, with the same configuration but for
// Progress. It registers one target. The result is complete on every rank. Visits that were missed or came out of turn
// are counted in its Errors; an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	b := newBench(r, c.withDefaults())
	result := b.result()
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel, Rate: result.rate, Judge: func() error { return b.judge(&result) },
	})
	return result, err
}

// message is the pebble: the rank that it goes to, and how many steps it has gone when it is there.
type message struct{ To, Hop uint64 }

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	place  uint64 // this rank's position in the ring
	next   uint64 // the rank after this one in the ring
	last   uint64 // steps in all
	send   func(message)
	visits uint64
	astray uint64 // visits that were another rank's
	errors uint64 // visits out of turn
}

func newBench(r *pebble.Rank, c Config) *bench {
	ranks := uint64(r.Size())
	g := newRing(r.Size(), c.Seed)
	place := g.position(uint64(r.ID()))
	return &bench{rank: r, config: c, place: place, next: g.at((place + 1) % ranks), last: c.Rounds * ranks}
}

// kernel lets the message go all its steps, in one epoch.
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
	})
}

// visit is the handler.
func (b *bench) visit(m message) {
	b.visits++
	switch {
	case m.To != uint64(b.rank.ID()):
		b.astray++
	case m.Hop != b.turn(b.visits):
		b.errors++
	}
	apps.Progress(b.config.Progress).Passed(b.rank, max(1, b.config.Rounds/100), b.visits-1, b.visits, b.config.Rounds)
	if m.Hop < b.last {
		b.send(message{b.next, m.Hop + 1})
	}
}

// turn is the step that must bring the message here for the n-th time: once a round, at this rank's place. The first
// position is the last of each round.
func (b *bench) turn(n uint64) (hop uint64) {
	ranks := uint64(b.rank.Size())
	if b.place == 0 {
		return n * ranks
	}
	return (n-1)*ranks + b.place
}

// verify counts what went wrong at this rank.
func (b *bench) verify() (errors uint64) {
	missed := max(b.visits, b.config.Rounds) - min(b.visits, b.config.Rounds)
	return b.errors + missed
}

// judge adds to the result what is wrong with it.
func (b *bench) judge(result *Result) error {
	if err := result.Found(b.rank, b.verify(), "visits of the message did not happen, or out of turn"); err != nil {
		return err
	}
	return result.Finish(b.rank, apps.Tally{Sent: b.config.Rounds, Handled: b.visits, Misplaced: b.astray})
}
