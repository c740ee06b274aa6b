package stressmark

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// PointerResult is what a run of Pointer or of Update tells.
type PointerResult struct {
	Report
	Words         uint64  `json:"words"`
	Window        int     `json:"window"`
	Hops          uint64  `json:"hops"`  // of all chases
	Ended         uint64  `json:"ended"` // chases that came to where they stop; the others have made as many hops as they may
	SecondsPerHop float64 `json:"seconds_per_hop"`
}

// Rows is the result for display: labels and values.
func (r PointerResult) Rows() [][2]string {
	return [][2]string{
		{"hops", fmt.Sprintf("%d of %d words in a field of %d; chases that came to their end: %d", r.Hops, r.Window, r.Words, r.Ended)},
		{"time per hop", fmt.Sprintf("%.3f µs", r.SecondsPerHop*1e6)},
		r.accesses(),
	}
}

// Pointer runs the Pointer Stressmark on a job: each rank follows a chain of its own. Every rank calls it, between
// epochs, with the same configuration but for Progress. The result is complete on every rank. Chases that went astray
// are counted in its Errors; an error means that the job failed, or can't work.
func Pointer(r *pebble.Rank, c PointerConfig) (PointerResult, error) { return runPointer(r, c, false) }

// Update runs the Update Stressmark on a job: rank 0 alone follows a chain, and writes a word at each hop. It is called
// as Pointer is. Its Errors count wrong words of the array, too.
func Update(r *pebble.Rank, c PointerConfig) (PointerResult, error) { return runPointer(r, c, true) }

// pointers is one rank's part of a run of either.
type pointers struct {
	rank    *pebble.Rank
	config  PointerConfig
	space   *memory.Space
	field   *memory.Array[uint64]
	updates bool
	trace   Trace
}

func runPointer(r *pebble.Rank, c PointerConfig, updates bool) (result PointerResult, err error) {
	if err := c.Check(); err != nil {
		return result, err
	}
	p := &pointers{rank: r, config: c.withDefaults(), space: memory.New(r), updates: updates}
	if p.updates {
		result.Report = newReport(r, "update", c.Seed)
	} else {
		result.Report = newReport(r, "pointer", c.Seed)
	}
	result.Words, result.Window = p.config.Words, p.config.Window
	if result.SetUp, err = apps.Timed(r, p.load); err != nil {
		return result, err
	}
	if err := result.kernel(p.space, p.kernel); err != nil {
		return result, err
	}
	if result, err = p.sum(result); err != nil {
		return result, err
	}
	if err := p.judge(&result); err != nil {
		return result, err
	}
	return result, p.field.Free()
}

// load makes this rank's part of the field.
func (p *pointers) load() (err error) {
	d := distribution.Block(p.config.Words, p.rank.Size())
	need := 8 * (p.config.Words/uint64(p.rank.Size()) + 1)
	if err := apps.MustFit(p.rank, "stressmark: the words", need, "give fewer words"); err != nil {
		return err
	}
	p.field = memory.NewArray[uint64](p.space, "field", d)
	for i := range p.field.Local() {
		p.field.Local()[i] = p.config.word(d.Key(p.rank.ID(), i))
	}
	return nil
}

// kernel follows this rank's chain, if it has one, in one epoch.
func (p *pointers) kernel() error {
	return p.rank.Epoch(func() error {
		if !p.has() {
			return nil
		}
		var write func(at, word uint64)
		if p.updates {
			write = p.field.Put // done when it returns, so the next window has it
		}
		p.trace = p.config.follow(p.config.chaseOf(p.rank.ID()), p.field.GetRange, write, p.tick)
		return nil
	})
}

// has reports whether this rank has a chain.
func (p *pointers) has() bool { return !p.updates || p.rank.ID() == 0 }

// between is how many hops are between two looks at what has come, and words of progress.
const between = 256

func (p *pointers) tick(hops uint64) {
	if hops%between != 0 {
		return
	}
	p.rank.Poll()
	if p.config.Progress != nil && p.rank.ID() == 0 {
		p.config.Progress(hops, p.config.Hops)
	}
}

// sum adds up what the ranks have done.
func (p *pointers) sum(result PointerResult) (_ PointerResult, err error) {
	type total struct{ Hops, Ended uint64 }
	own := total{Hops: p.trace.Hops}
	if p.trace.Ended {
		own.Ended = 1
	}
	all, err := pebble.AllReduce(p.rank, own, func(a, b total) total { return total{a.Hops + b.Hops, a.Ended + b.Ended} })
	result.Hops, result.Ended = all.Hops, all.Ended
	if longest, err := pebble.AllReduce(p.rank, p.trace.Hops, func(a, b uint64) uint64 { return max(a, b) }); err != nil {
		return result, err
	} else if longest > 0 {
		result.SecondsPerHop = result.Seconds / float64(longest)
	}
	return result, err
}

// judge verifies, and adds to the result what is wrong with it.
func (p *pointers) judge(result *PointerResult) (err error) {
	var astray, wrong uint64
	result.Verify, err = apps.Timed(p.rank, func() (err error) {
		astray, wrong, err = p.verify()
		return err
	})
	if err != nil {
		return err
	}
	if err := result.Found(p.rank, astray, "chases did not go where the seed sends them"); err != nil {
		return err
	}
	if err := result.Found(p.rank, wrong, "words of the field are wrong"); err != nil {
		return err
	}
	return result.finish(p.rank)
}

// verify compares this rank's chase with the one through words that are worked out again. Rank 0 compares the whole
// field where it was updated, and else each rank its part.
func (p *pointers) verify() (astray, wrong uint64, err error) {
	if p.updates {
		return p.verifyUpdates()
	}
	if t := p.config.serial(p.rank.ID()); t != p.trace {
		astray++
	}
	d := p.field.Distribution()
	for i, word := range p.field.Local() {
		if word != p.config.word(d.Key(p.rank.ID(), i)) {
			wrong++
		}
	}
	return astray, wrong, nil
}

func (p *pointers) verifyUpdates() (astray, wrong uint64, err error) {
	err = p.rank.Epoch(func() error {
		if p.rank.ID() != 0 {
			return nil
		}
		t, field := SerialUpdate(p.config)
		if t != p.trace {
			astray++
		}
		wrong = different(p.field, field)
		return nil
	})
	return astray, wrong, err
}

// different counts the elements of an array that are not those of a slice. It is called in an epoch.
func different[T comparable](a *memory.Array[T], want []T) (n uint64) {
	got := make([]T, min(1<<14, len(want)))
	for lo := 0; lo < len(want); lo += len(got) {
		got = got[:min(len(got), len(want)-lo)]
		a.GetRange(uint64(lo), got)
		for i, v := range got {
			if v != want[lo+i] {
				n++
			}
		}
	}
	return n
}
