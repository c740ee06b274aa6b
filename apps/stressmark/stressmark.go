// Package stressmark is three of the DIS Stressmarks that XLUPC runs (XLUPC, section 4.4). Their ranks read and write
// elements of one distributed array of package memory, at any rank.
//
//   - [Pointer]: every rank follows its own chain of pointers through the array, with reads of a few words, one after
//     the other.
//   - [Update]: one rank does so, and writes a word at each hop, while the others are idle.
//   - [Neighborhood]: a stencil: each rank processes pairs of pixels of an image, some of them across the borders of
//     its part.
//
// The data is random and depends on a seed. The results do not depend on the number of ranks. Each has a serial twin,
// on one slice without ranks, and a verifier, which reads no distributed array. Times are those of blocking accesses,
// one after the other: latency is not hidden, because it is the quantity measured.
package stressmark

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// PointerConfig configures a run of Pointer or of Update, as described in package apps.
type PointerConfig struct {
	// Seed determines the words and the beginnings and ends of chases. Progress counts hops of rank 0, of its limit.
	apps.Common
	Words  uint64 // of the array, 2^4 to 2^24, of 8 bytes. 0 means 2^18
	Window int    // words read by each hop, an odd number from 1 to 15. 0 means 7
	Hops   uint64 // limit of a chase, up to 2^40. 0 means 4096
	// Stop is the number of indices that end a chase, up to Words - Window; their place is random. 0 means one in 1024,
	// and at least one.
	Stop uint64
}

// Limits of all stressmarks.
const (
	sizeMin = 1 << 4
	sizeMax = 1 << 24

	windowMax = 15
	hopsMax   = 1 << 40
)

func (c PointerConfig) withDefaults() PointerConfig {
	c.Words = cmp.Or(c.Words, 1<<18)
	c.Window = cmp.Or(c.Window, 7)
	c.Hops = cmp.Or(c.Hops, 4096)
	c.Stop = cmp.Or(c.Stop, c.Words/1024, 1)
	return c
}

// Check returns an error if c is invalid.
func (c PointerConfig) Check(int) error {
	c = c.withDefaults()
	switch {
	case c.Words < sizeMin || c.Words > sizeMax:
		return fmt.Errorf("stressmark: a field of %d words: give %d to %d", c.Words, sizeMin, sizeMax)
	case c.Window < 1 || c.Window > windowMax || c.Window%2 == 0:
		return fmt.Errorf("stressmark: a window of %d words, which is to have a median: give an odd number from 1 to %d",
			c.Window, windowMax)
	case c.Hops > hopsMax:
		return fmt.Errorf("stressmark: %d hops are too many: give at most %d", c.Hops, uint64(hopsMax))
	case c.Stop > c.starts():
		return fmt.Errorf("stressmark: %d indices that end a chase, and there are %d: give fewer", c.Stop, c.starts())
	}
	return nil
}

// starts returns the number of indices at the beginnings of windows.
func (c PointerConfig) starts() uint64 { return c.Words - uint64(c.Window) }

// NeighborhoodConfig configures a run of Neighborhood, as described in package apps.
type NeighborhoodConfig struct {
	apps.Common     // Seed determines the image; Progress counts rows that rank 0 has processed
	Side        int // rows of the image, and pixels of each, of 2 bytes, up to 32768. 0 means 512
	Bits        int // of a pixel, 7 to 15. 0 means 8
	Lines       int // number of lines in the image, at most 2^24. 0 means the number of rows
	// Short and Long are the distances of the pixels of a pair; Short is less than Long, and Long less than Side. 0
	// means 1, and the lesser of 10 and half of the side.
	Short, Long int
}

const (
	sideMin  = 4
	sideMax  = 32768
	bitsMin  = 7
	bitsMax  = 15
	linesMax = 1 << 24
)

func (c NeighborhoodConfig) withDefaults() NeighborhoodConfig {
	c.Side = cmp.Or(c.Side, 512)
	c.Bits = cmp.Or(c.Bits, 8)
	c.Lines = cmp.Or(c.Lines, c.Side)
	c.Short = cmp.Or(c.Short, 1)
	c.Long = cmp.Or(c.Long, min(10, c.Side/2))
	return c
}

// Check returns an error if c is invalid.
func (c NeighborhoodConfig) Check(int) error {
	c = c.withDefaults()
	switch {
	case c.Side < sideMin || c.Side > sideMax:
		return fmt.Errorf("stressmark: an image of %d pixels a side: give %d to %d", c.Side, sideMin, sideMax)
	case c.Bits < bitsMin || c.Bits > bitsMax:
		return fmt.Errorf("stressmark: pixels of %d bits: give %d to %d", c.Bits, bitsMin, bitsMax)
	case c.Lines < 1 || c.Lines > linesMax:
		return fmt.Errorf("stressmark: %d lines: give 1 to %d", c.Lines, linesMax)
	case c.Short < 1 || c.Short >= c.Long || c.Long >= c.Side:
		return fmt.Errorf("stressmark: distances %d and %d in an image of %d pixels a side: "+
			"give a short one of 1 or more, and a long one between that and the side",
			c.Short, c.Long, c.Side)
	}
	return nil
}

// Report is common to the reports of all stressmarks. The counts cover the timed kernel, over all ranks.
type Report struct {
	apps.Report
	memory.Counts
	AddressCache int     `json:"address_cache"` // entries, 0 for none
	HitRate      float64 `json:"hit_rate"`      // of the accesses to other processes: Counts.HitRate
}

// newReport returns the part of a report that is known before a run.
func newReport(r *pebble.Rank, name string, seed uint64) Report {
	p := apps.NewReport(r, "stressmark-"+name, seed)
	p.Cache = 0
	return Report{Report: p, AddressCache: max(0, r.Config().AddressCache)}
}

// run runs the phases of a stressmark, and counts the accesses of its kernel. The only pebbles of a stressmark are the
// questions and answers of misses.
func (p *Report) run(s *memory.Space, phases apps.Phases) error {
	var before memory.Counts
	kernel, sum := phases.Kernel, phases.Sum
	phases.Tally = new(apps.Tally)
	phases.Kernel = func() error {
		before = s.Counts()
		return kernel()
	}
	phases.Sum = func() (err error) {
		if p.Counts, err = pebble.AllReduce(s.Rank(), s.Counts().Since(before), memory.Counts.Add); err != nil {
			return err
		}
		p.HitRate = p.Counts.HitRate()
		if s.Rank().ID() == 0 {
			phases.Tally.Sent, phases.Tally.Handled = p.Pebbles, p.Pebbles
		}
		return sum()
	}
	return p.RunPhases(s.Rank(), phases)
}

// accesses returns a row for display.
func (p Report) accesses() [2]string {
	share := 0.0
	if all := p.Near + p.Remote; all > 0 {
		share = 100 * float64(p.Remote) / float64(all)
	}
	text := fmt.Sprintf("%d near, %d remote: %.1f %%", p.Near, p.Remote, share)
	if p.Hits+p.Misses > 0 {
		text += fmt.Sprintf("; %d addresses were in the cache of %d, %d were not: %.1f %% hits", p.Hits, p.AddressCache,
			p.Misses, 100*p.HitRate)
	}
	return [2]string{"accesses", text}
}

// stream is the purpose of random numbers.
type stream uint64

const (
	forWords stream = iota + 1
	forStarts
	forStops
	forLines
)

// draw returns the i-th number of a stream, less than n.
func draw(seed uint64, s stream, i, n uint64) uint64 {
	v, _ := bits.Mul64(apps.Fold(apps.Fold(seed, uint64(s)), apps.Fold(i, uint64(s))), n)
	return v
}

// SerialPointer is Pointer without a job. It returns the trace of each rank's chase.
func SerialPointer(ranks int, c PointerConfig) (all []Trace) {
	c = c.withDefaults()
	for rank := range ranks {
		all = append(all, c.serial(rank))
	}
	return all
}

// serial returns the trace of one rank's chase. It computes the words when it reads them.
func (c PointerConfig) serial(rank int) Trace {
	return c.follow(c.chaseOf(rank), func(at uint64, window []uint64) {
		for i := range window {
			window[i] = c.word(at + uint64(i))
		}
	}, nil, nil)
}

// SerialUpdate is Update without a job. It returns the trace of the chase, and the whole field after it.
func SerialUpdate(c PointerConfig) (Trace, []uint64) {
	c = c.withDefaults()
	field := make([]uint64, c.Words)
	for i := range field {
		field[i] = c.word(uint64(i))
	}
	t := c.follow(c.chaseOf(0), func(at uint64, window []uint64) { copy(window, field[at:]) },
		func(at, word uint64) { field[at] = word }, nil)
	return t, field
}

// SerialNeighborhood is Neighborhood without a job.
func SerialNeighborhood(c NeighborhoodConfig) (all []Texture) {
	c = c.withDefaults()
	image := c.draw(0, c.Side)
	for k, way := range c.ways() {
		h := newHistogram(c.Bits)
		for y := range c.Side {
			for x := range c.Side {
				otherX, otherY := x+way.right, y+way.down
				if otherX < 0 || otherX >= c.Side || otherY >= c.Side {
					continue
				}
				h.add(image[y*c.Side+x], image[otherY*c.Side+otherX])
			}
		}
		all = append(all, h.texture(c.ways()[k]))
	}
	return all
}
