// Package alltoall is the fine-grained all-to-all benchmark on Active Pebbles for Go (TRAM, section V.D). Every rank
// sends an item of a few bytes to every other rank, in each of many rounds. All rounds stream in one epoch, without
// synchronisation between two of them. TRAM's items have 32 bytes, which is the default here.
//
// A rank sends nothing to itself: such an item would not travel, and on few ranks it would dominate the figure. So P
// ranks send P(P-1) items in a round, and a single rank sends none. In each round a rank begins with the rank after it
// and goes once around, so that ranks in step send to different ranks at any moment. TRAM draws a random order.
//
// # The items
//
// An item is a pebble, and travels as its bytes alone. The first 8 of them, or all 4, are its number: its round, its
// sender and its receiver. Items of 4, 8, 16, 32, 64, 128 and 512 bytes are plain data. Those of any other size, from 9
// bytes to 64 KiB, go through a codec, with the 12 extra bytes of every coded pebble. A coded item costs several times
// as much as a plain one, apart from its bytes; and buffers of coded items hold 64 KiB, or one item. Counters.BytesSent
// has all bytes of all hops.
//
// # The proof of the verification
//
// The bytes of an item follow from the seed and its number. The receiver makes them again and compares each, in the
// timed kernel: a program would read its data too. It also keeps 16 bytes for each sender, for any number of rounds:
// the number of whole items, and the sum of a mark for each, which follows from its number. The marks of two rounds
// differ, so a repeated item instead of another is noticed. All items sent must be received.
//
// A lost item, a repeated one and a damaged one count as one error each; an item of 4 or 8 bytes that is altered into
// another one of its pair counts as one lost and one twice. If several items of one pair of ranks are lost and several
// repeated, the sums cannot separate them: Errors is then a lower bound. It is 0 for a wrong result only if sums of 64
// bits agree by accident.
package alltoall

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Config configures a run of the all-to-all, as described in package apps.
type Config struct {
	apps.Common     // Seed determines the bytes of the items; Progress counts items that rank 0 has sent
	Bytes       int // of an item: 4, or 8 to 64 KiB. 0 means 32
	// Rounds is the number of items from each rank to each other rank. 0 means about a million items per rank, or 64
	// MiB if that is less.
	Rounds uint64
}

const (
	bytesDefault = 32
	bytesMax     = 64 << 10
	itemsMost    = 1 << 20  // of a rank, by default
	volumeMost   = 64 << 20 // of the bytes of these
	itemsMax     = 1 << 60  // of the whole job
)

func (c Config) withDefaults(ranks int) Config {
	c.Bytes = cmp.Or(c.Bytes, bytesDefault)
	items := min(itemsMost, volumeMost/max(1, c.Bytes))
	fit := newNumbers(ranks, 0).most(c.Bytes)
	c.Rounds = cmp.Or(c.Rounds, min(fit, uint64(max(1, items/max(1, ranks-1)))))
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	c = c.withDefaults(ranks)
	fit := newNumbers(ranks, 0).most(c.Bytes)
	switch {
	case c.Bytes != 4 && c.Bytes < 8 || c.Bytes > bytesMax:
		return fmt.Errorf("alltoall: items of %d bytes: give 4, or 8 to %d", c.Bytes, bytesMax)
	case c.Rounds > fit, fit == 0:
		return fmt.Errorf("alltoall: items of %d bytes can number at most %d rounds of %d ranks: give fewer "+
			"rounds, or larger items",
			c.Bytes, fit, ranks)
	case c.Rounds > itemsMax/uint64(ranks)/uint64(ranks):
		return fmt.Errorf("alltoall: %d rounds of %d ranks are too many: give fewer", c.Rounds, ranks)
	}
	return nil
}

// Result is the report of a run of the all-to-all.
type Result struct {
	apps.Report
	Faults
	Bytes          int     `json:"bytes"`  // of an item
	Rounds         uint64  `json:"rounds"` // items from each rank to each other
	Items          uint64  `json:"items"`  // of all ranks
	ItemsPerSecond float64 `json:"items_per_second"`
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	if r.Items == 0 {
		return [][2]string{{"items", "none: a rank alone has no other to send to"}}
	}
	rows := [][2]string{
		{"items", fmt.Sprintf("%d of %d bytes, in %d rounds", r.Items, r.Bytes, r.Rounds)},
		{"items per second", fmt.Sprintf("%.2f million, %.1f MB/s", r.ItemsPerSecond/1e6,
			r.ItemsPerSecond*float64(r.Bytes)/1e6)},
	}
	if r.Errors > 0 {
		rows = append(rows, [2]string{"faults", r.text()})
	}
	return rows
}

// Run runs the all-to-all on a job, as described in package apps. It registers one target. The result's Errors include
// lost, damaged and repeated items.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	return newBench(r, c.withDefaults(r.Size())).run()
}

func (b *bench) run() (Result, error) {
	result := Result{
		Report: apps.NewReport(b.rank, "alltoall", b.config.Seed),
		Bytes:  b.config.Bytes, Rounds: b.config.Rounds, Items: b.items() * uint64(b.rank.Size()),
	}
	result.Cache = 0 // no two items are equal: no reduction is possible
	b.inbox.tally.Sent = b.items()
	var own Faults
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel,
		Rate:   func() { result.ItemsPerSecond = apps.Rate(float64(result.Items), result.Seconds) },
		Verify: func() (err error) {
			own = b.inbox.faults()
			result.Faults, err = pebble.AllReduce(b.rank, own, Faults.add)
			return err
		},
		Wrong: func() (uint64, string) { return own.errors(), "items went wrong: " + result.text() },
		Tally: &b.inbox.tally,
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	owner  *distribution.BlockMap // key k is rank k
	inbox  *inbox
}

func newBench(r *pebble.Rank, c Config) *bench {
	return &bench{
		rank: r, config: c, owner: distribution.Ranks(r.Size()),
		inbox: newInbox(newNumbers(r.Size(), c.Seed), r.ID(), r.Size(), c.Rounds),
	}
}

// kernel sends all items, in one epoch.
func (b *bench) kernel() error {
	send := b.sender()
	return b.rank.Epoch(func() error {
		send()
		return nil
	}, pebble.Depth(1), pebble.Named("exchange"))
}

// sender registers the target for items of the configured size.
func (b *bench) sender() (send func()) {
	n := b.inbox.numbers
	switch b.config.Bytes {
	case 4:
		return register(b, bare[uint32](n))
	case 8:
		return register(b, bare[uint64](n))
	case 16:
		return register(b, two(n))
	case 32:
		return register(b, plain[[4]uint64](n))
	case 64:
		return register(b, plain[[8]uint64](n))
	case 128:
		return register(b, plain[[16]uint64](n))
	case 512:
		return register(b, plain[[64]uint64](n))
	default:
		return register(b, coded(n), target.Coded(codec{n, b.config.Bytes}))
	}
}

// items returns the number of items that this rank sends.
func (b *bench) items() uint64 { return uint64(b.rank.Size()-1) * b.config.Rounds }

const (
	batch         = 256     // items sent at a time
	progressEvery = 1 << 12 // items of rank 0 between two reports of progress
)

// stream sends all items of this rank. fill makes them from their numbers.
func stream[V any](b *bench, sendAll func(vs []V), fill func(vs []V, ids []uint64)) {
	c := newCourse(b.inbox.numbers, b.rank.ID(), b.rank.Size())
	total := b.items()
	vs, ids := make([]V, min(batch, total)), make([]uint64, min(batch, total))
	for sent := uint64(0); sent < total; {
		n := min(batch, total-sent)
		c.next(ids[:n])
		fill(vs[:n], ids[:n])
		sendAll(vs[:n])
		b.config.Progress.Passed(b.rank, progressEvery, sent, sent+n, total)
		sent += n
	}
}

// course is the order of the items of a rank: round by round, and in each to all other ranks, from the one after it
// once around. It is for two ranks or more.
type course struct {
	self, ranks uint64
	ahead       uint64 // distance of the next item's receiver around the ring: 1 to ranks-1
	from, step  uint64 // of numbers: base of this round and rank, and distance between rounds
}

func newCourse(n numbers, self, ranks int) course {
	c := course{self: uint64(self), ranks: uint64(ranks), ahead: 1, from: n.id(uint32(self), 0, 0)}
	c.step = n.id(uint32(self), 0, 1) - c.from
	return c
}

// next fills ids with the numbers of the next items.
func (c *course) next(ids []uint64) {
	if c.ranks == 2 { // a round is one item
		number := c.from | (1 - c.self)
		for i := range ids {
			ids[i] = number
			number += c.step
		}
		c.from += uint64(len(ids)) * c.step
		return
	}
	for len(ids) > 0 {
		to, end := c.self+c.ahead, c.ranks-c.self // end is the distance of rank 0
		if to >= c.ranks {
			to, end = to-c.ranks, c.ranks
		}
		n := min(uint64(len(ids)), end-c.ahead)
		for i := range ids[:n] {
			ids[i] = c.from | (to + uint64(i))
		}
		ids = ids[n:]
		if c.ahead += n; c.ahead == c.ranks {
			c.ahead = 1
			c.from += c.step
		}
	}
}

// Serial is the all-to-all without a job. It returns, by receiver, the number of its items, and the sum of the marks of
// their numbers modulo 2^64.
func Serial(ranks int, c Config) (came, sums []uint64) {
	c = c.withDefaults(ranks)
	n := newNumbers(ranks, c.Seed)
	came, sums = make([]uint64, ranks), make([]uint64, ranks)
	for from := range ranks {
		for round := range c.Rounds {
			for to := range ranks {
				if to != from {
					came[to]++
					sums[to] += mark(n.id(uint32(from), uint32(to), round))
				}
			}
		}
	}
	return came, sums
}
