package reduce

import "fmt"

// account decides whether a cache pays: it does when h·G > c (Active
// Pebbles, section 3.5), where h is the fraction of pebbles that it merges, G the cost
// of carrying a pebble on, and c that of a look into the cache. Each pebble
// that goes through spends what a look costs, each merged one earns more. When all is
// spent the cache switches off. After a while a trial begins: the cache watches what passes
// by (see watch), at a small part of the cost, and books what it would have
// merged. When that would have earned as much as the trial began with, the cache is on again.
// So a cache never loses more than it has earned before and what it gets when it switches on,
// and there is no window of pebbles that could align with the program.
//
// A pebble that fills a slot says nothing: the cache is only warming up. But where every
// epoch's end empties it, warming up is all that it may ever do. So each slot may be filled
// for nothing once, and once more after the first Clear, so that a whole epoch is seen; later
// fills spend.
type account struct {
	slots  int
	fixed  bool // always on
	state  state
	earns  int // what a merged pebble earns
	credit int // what is left
	free   int // fills that don't spend yet
	spare  int // free ones to come with the next Clear
	seen   int // pebbles since it is on, or watches
	merged int // of these
	rest   int // pebbles that pass by before the next trial
	factor int // how much longer than what failed the rest is
	tries  uint64
	off    uint64 // pebbles that passed by
}

// state is what becomes of the next pebbles.
type state uint8

const (
	on state = iota
	resting
	watching
)

const (
	// costs is what a look costs, and earns what a merged pebble earns until Price is called: a cache then stays on from
	// two fifths of merged pebbles on. That is a compromise for c and G that the cache can't see. At 2^16 slots of 16
	// bytes c was 5 ns for Duplicates where nearly all or no pebbles merge and 11 ns between, for the processor can't
	// predict the branch; Combine took 9 and 15 ns. G is some 15 to 35 ns between ranks of one process, handler included,
	// and more over a network or several hops.
	costs, earns = 64, 160
	// earnsMax bounds what a merged pebble earns.
	earnsMax = 64 * costs
	// creditOn is how many lookups a cache that switches on has the credit for. As many pebbles that
	// replace others tell a fraction of two fifths from one of a quarter with a probability
	// far above 99 %.
	creditOn = 256
	// creditTrial is the same for a trial, which counts one slot in 16: 64 of those tell as well.
	creditTrial = 1024
	// trialMost bounds a trial that neither wins nor loses, in times that it takes to fill each slot twice.
	trialMost = 16
	// factorMax bounds the rest: trials that fail see less than 1 of 128 pebbles.
	factorMax = 128
	// A trial that fails makes the next rest twice as long. A cache that switches on and fails has cost far more, and
	// makes it 16 times as long.
	trialFailed, cacheFailed = 2, 16
)

func newAccount(slots int) account {
	a := account{slots: slots, factor: 1, earns: earns}
	a.begin(on, creditOn)
	return a
}

// begin begins a time on, or a trial.
func (a *account) begin(s state, looks int) {
	a.state = s
	a.credit, a.free, a.spare = costs*looks, a.slots, a.slots
	a.seen, a.merged = 0, 0
}

// cleared follows a Clear.
func (a *account) cleared() {
	a.free += a.spare
	a.spare = 0
}

// book counts seen pebbles that went through the cache.
func (a *account) book(seen int, o outcome) {
	if a.fixed || a.state != on {
		return
	}
	a.count(seen, o)
	// The bound keeps a long good time from paying for a long bad one. It lets every slot be filled twice.
	a.credit = min(a.credit, costs*a.longest())
	if a.credit < 0 {
		a.close(cacheFailed)
	}
}

// bookWatched counts seen pebbles that passed by in a trial, and reports whether the cache is to switch on.
func (a *account) bookWatched(seen int, o outcome) bool {
	a.count(seen, o)
	switch {
	case a.credit >= 2*costs*creditTrial:
		a.begin(on, creditOn)
		return true
	case a.credit < 0 || a.seen > trialMost*(a.longest()+creditTrial):
		a.close(trialFailed)
	}
	return false
}

// count lets pebbles spend and earn.
func (a *account) count(seen int, o outcome) {
	a.seen += seen
	a.merged += o.merged
	free := min(o.fills, a.free)
	a.free -= free
	a.credit += a.earns*o.merged - costs*(seen-free)
}

// close switches off. A time that was worth it at the end counts as no failure; the
// next trial comes soon.
func (a *account) close(failed int) {
	a.factor = min(failed*a.factor, factorMax)
	if a.earns*a.merged >= costs*a.seen {
		a.factor = 1
	}
	a.rest = a.factor * min(a.seen, a.longest())
	a.state = resting
}

// longest is how many pebbles it takes, without a batch's last ones, until a cache that merges none goes off: each slot
// filled twice, and its credit spent.
func (a *account) longest() int { return 2*a.slots + creditOn }

// pass lets n pebbles pass by, and reports whether a trial begins behind them.
func (a *account) pass(n int) (begins bool) {
	if n < 0 {
		panic(fmt.Sprintf("reduce: advice for %d pebbles; ask for 0 or more", n))
	}
	a.off += uint64(n)
	if a.state == watching {
		return false
	}
	a.rest = max(0, a.rest-n)
	if a.rest > 0 {
		return false
	}
	a.tries++
	a.begin(watching, creditTrial)
	return true
}
