package reduce

import "fmt"

// account decides whether a cache pays. A cache pays if h·G > c (Active Pebbles, section 3.5), where h is the fraction
// of pebbles that it merges, G the cost of carrying a pebble on, and c that of a lookup in the cache. Each pebble that
// goes through spends the cost of a lookup, each merged one earns more. When the credit is spent the cache switches
// off. After a while a trial begins: the cache watches passing pebbles (see watch), at a small part of the cost, and
// books the merges that it would have made. When these would have earned as much as the trial began with, the cache
// switches on again. So a cache never loses more than its earlier earnings and the credit of its last start, and no
// window of pebbles can align with the program.
//
// A pebble that fills a slot is no evidence: the cache is warming up. But if the end of every epoch empties it, it may
// do nothing else. So each slot may be filled once at no cost, and once more after the first Clear, so that a whole
// epoch is seen; later fills spend.
type account struct {
	slots  int
	fixed  bool // always on
	state  state
	earns  int // credit earned by a merged pebble
	credit int // remaining credit
	free   int // fills left that don't spend
	spare  int // free fills to add at the next Clear
	seen   int // pebbles since the start of this state
	merged int // merged ones of these
	rest   int // pebbles that pass by before the next trial
	factor int // factor of the rest's length over that of the failed state
	tries  uint64
	off    uint64 // pebbles that passed by
}

// state is the treatment of the next pebbles.
type state uint8

const (
	on state = iota
	resting
	watching
)

const (
	// costs is the credit that a lookup spends, and earns the credit that a merged pebble earns until Price is called.
	// A cache then stays on from two fifths of merged pebbles on. That is a compromise, since the cache can't see c and
	// G. At 2^16 slots of 16 bytes c was 5 ns for Duplicates where nearly all or no pebbles merge and 11 ns between,
	// since the processor can't predict the branch; Combine took 9 and 15 ns. G is about 15 to 35 ns between ranks of
	// one process, handler included, and more over a network or several hops.
	costs, earns = 64, 160
	// earnsMax bounds the credit of a merged pebble.
	earnsMax = 64 * costs
	// creditOn is the credit, in lookups, of a cache that switches on. That number of pebbles that replace others
	// separates a fraction of two fifths from one of a quarter with a probability far above 99 %.
	creditOn = 256
	// creditTrial is the credit of a trial, which counts one slot in 16: 64 of those separate the fractions as well.
	creditTrial = 1024
	// trialMost bounds a trial that neither wins nor loses, in multiples of the time to fill each slot twice.
	trialMost = 16
	// factorMax bounds the rest: trials that fail see less than 1 of 128 pebbles.
	factorMax = 128
	// A trial that fails doubles the next rest. A cache that switches on and fails has cost far more, and makes the
	// rest 16 times as long.
	trialFailed, cacheFailed = 2, 16
)

func newAccount(slots int) account {
	a := account{slots: slots, factor: 1, earns: earns}
	a.begin(on, creditOn)
	return a
}

// begin starts a state, on or watching, with a credit in lookups.
func (a *account) begin(s state, looks int) {
	a.state = s
	a.credit, a.free, a.spare = costs*looks, a.slots, a.slots
	a.seen, a.merged = 0, 0
}

// cleared is called after a Clear.
func (a *account) cleared() {
	a.free += a.spare
	a.spare = 0
}

// book counts pebbles that went through the cache.
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

// bookWatched counts pebbles that passed by in a trial, and reports whether the cache must switch on.
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

// close switches the cache off. A state that paid at its end does not count as a failure; the next trial comes soon.
func (a *account) close(failed int) {
	a.factor = min(failed*a.factor, factorMax)
	if a.earns*a.merged >= costs*a.seen {
		a.factor = 1
	}
	a.rest = a.factor * min(a.seen, a.longest())
	a.state = resting
}

// longest returns the number of pebbles, except a batch's last ones, until a cache that merges none switches off: each
// slot filled twice, and its credit spent.
func (a *account) longest() int { return 2*a.slots + creditOn }

// pass counts n pebbles that pass by, and reports whether a trial begins after them.
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
