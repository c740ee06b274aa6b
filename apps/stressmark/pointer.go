package stressmark

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// PointerResult is the report of a run of Pointer or of Update.
type PointerResult struct {
	Report
	Words  uint64 `json:"words"`
	Window int    `json:"window"`
	Hops   uint64 `json:"hops"` // of all chases
	// chases that reached their end; the others have made the largest number of hops
	Ended         uint64  `json:"ended"`
	SecondsPerHop float64 `json:"seconds_per_hop"`
}

// Rows returns labels and values of the result for display.
func (r PointerResult) Rows() [][2]string {
	return [][2]string{
		{"hops", fmt.Sprintf("%d of %d words in a field of %d; chases that came to their end: %d", r.Hops, r.Window, r.Words,
			r.Ended)},
		{"time per hop", fmt.Sprintf("%.3f µs", r.SecondsPerHop*1e6)},
		r.accesses(),
	}
}

// Pointer runs the Pointer Stressmark on a job, as described in package apps: each rank follows its own chain. The
// result's Errors include wrong chases.
func Pointer(r *pebble.Rank, c PointerConfig) (PointerResult, error) { return runPointer(r, c, false) }

// Update runs the Update Stressmark on a job, as described in package apps: only rank 0 follows a chain, and writes a
// word at each hop. The result's Errors include wrong words of the array.
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
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	p := &pointers{rank: r, config: c.withDefaults(), space: memory.New(r), updates: updates}
	name := "pointer"
	if updates {
		name = "update"
	}
	result = PointerResult{Report: newReport(r, name, c.Seed), Words: p.config.Words, Window: p.config.Window}
	err = result.run(p.space, p.phases(&result))
	return result, err
}

func (p *pointers) phases(result *PointerResult) apps.Phases {
	return apps.Phases{
		Load: p.load, Kernel: p.kernel,
		Sum:    func() error { return p.sum(result) },
		Verify: func() error { return p.judge(result) },
		Free:   func() error { return p.field.Free() },
	}
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
			write = p.field.Put // complete when it returns, so the next window reads the word
		}
		p.trace = p.config.follow(p.config.chaseOf(p.rank.ID()), p.field.GetRange, write, p.tick)
		return nil
	})
}

// has reports whether this rank has a chain.
func (p *pointers) has() bool { return !p.updates || p.rank.ID() == 0 }

// between is the number of hops between two polls, which also report progress.
const between = 256

func (p *pointers) tick(hops uint64) {
	if hops%between == 0 {
		p.rank.Poll()
		p.config.Progress.Passed(p.rank, 1, hops-1, hops, p.config.Hops)
	}
}

// sum adds up the traces of the ranks.
func (p *pointers) sum(result *PointerResult) error {
	type total struct{ Hops, Ended, Longest uint64 }
	own := total{Hops: p.trace.Hops, Longest: p.trace.Hops}
	if p.trace.Ended {
		own.Ended = 1
	}
	all, err := pebble.AllReduce(p.rank, own, func(a, b total) total {
		return total{a.Hops + b.Hops, a.Ended + b.Ended, max(a.Longest, b.Longest)}
	})
	result.Hops, result.Ended = all.Hops, all.Ended
	result.SecondsPerHop = apps.Rate(result.Seconds, float64(all.Longest))
	return err
}

// judge verifies the result, and adds the errors to it.
func (p *pointers) judge(result *PointerResult) error {
	astray, wrong, err := p.verify()
	if err != nil {
		return err
	}
	if err := result.Found(p.rank, astray, "chases did not go where the seed sends them"); err != nil {
		return err
	}
	return result.Found(p.rank, wrong, "words of the field are wrong")
}

// verify compares this rank's chase with one through recomputed words. After updates, rank 0 compares the whole field;
// otherwise each rank compares its part.
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

// different returns the number of elements of an array that differ from a slice. It is called in an epoch.
func different(a *memory.Array[uint64], want []uint64) (n uint64) {
	got := make([]uint64, min(1<<14, len(want)))
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

// chase is one chain of hops.
type chase struct {
	start     uint64
	stop, end uint64 // the indices that end it: from stop to end-1
}

// Trace is the result of a chase.
type Trace struct {
	Hops, Index uint64 // number of hops, and the final index
	Ended       bool   // it reached an index that ends it
}

// chaseOf returns the chase of a rank.
func (c PointerConfig) chaseOf(rank int) chase {
	stop := draw(c.Seed, forStops, uint64(rank), c.starts()-c.Stop+1)
	return chase{draw(c.Seed, forStarts, uint64(rank), c.starts()), stop, stop + c.Stop}
}

// word returns a word of the array before the run.
func (c PointerConfig) word(i uint64) uint64 { return draw(c.Seed, forWords, i, c.starts()) }

// follow follows a chase. read reads a window; write, if not nil, writes a word.
func (c PointerConfig) follow(h chase, read func(at uint64, window []uint64), write func(at, word uint64),
	tick func(hops uint64)) (t Trace) {
	window := make([]uint64, c.Window)
	for t.Index = h.start; ; t.Hops++ {
		if t.Ended = h.stop <= t.Index && t.Index < h.end; t.Ended || t.Hops == c.Hops {
			return t
		}
		read(t.Index, window)
		if write != nil {
			sum := uint64(0)
			for _, w := range window {
				sum += w
			}
			write(t.Index, sum%c.starts())
		}
		t.Index = (median(window) + t.Hops) % c.starts()
		if tick != nil {
			tick(t.Hops + 1)
		}
	}
}

// median sorts an odd number of words, which are few, and returns the middle one.
func median(words []uint64) uint64 {
	for i := 1; i < len(words); i++ {
		for j := i; j > 0 && words[j] < words[j-1]; j-- {
			words[j], words[j-1] = words[j-1], words[j]
		}
	}
	return words[len(words)/2]
}
