package board

import (
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Events is how many events a board keeps.
const Events = 256

// Board is what one rank publishes. All methods that are not said to be for readers are for the rank's goroutine.
type Board struct {
	events [Events]event
	head   atomic.Uint64 // events that were begun since the job began
	call   event         // the last one that is a call of all ranks
	opened uint64        // the head when that was begun
	wait   waiting
	parked bool // it has parked in this wait

	counters state.Counters
	memory   state.Memory
	moved    uint64        // counts what the rank brings forward
	epochs   time.Duration // in those that have ended

	now    time.Duration // when the rank last looked at the clock
	stale  int           // events since then
	sites  sites
	names  lastName
	begun  atomic.Bool
	status atomic.Pointer[string]
	told   atomic.Uint64 // how often the application has said something

	asked   atomic.Bool // somebody wants details
	details atomic.Pointer[Details]
}

// Details are what a rank publishes when somebody has asked: they cost it microseconds.
type Details struct {
	Links   []state.Link
	Targets []state.Target
	Tasks   []state.Tasks
}

// event is one event in words: what it is of, when it began and ended, its number, and what kind, name and site it has.
type event struct {
	at, end time.Duration
	number  uint64
	kind    Kind
	name    Name
	site    Site
}

// Kind is the kind of an event.
type Kind uint32

// The kinds of events. Collectives are Collective and above, by what they are for.
const (
	none Kind = iota
	Parked
	Epoch
	Collective
)

// Wait is what a rank waits for.
type Wait uint32

// What ranks wait for.
const (
	Nothing     Wait = iota
	ForEnd           // the end of an epoch
	ForOthers        // a collective
	ForCredit        // credit of a link
	ForRoom          // room for another frame
	ForOneSided      // operations on exposed memory, and what is posted
	ForAnswer        // what a call of the main function's waits for
	waits
)

var waitNames = [waits]string{
	ForEnd: state.WaitEnd, ForOthers: state.WaitOthers, ForCredit: "credit of a link",
	ForRoom: "room for another frame", ForOneSided: "exposed memory", ForAnswer: "an answer",
}

// String is what a rank waits for, in words.
func (w Wait) String() string { return waitNames[w] }

// everyEvents is after how many events without a look at the clock the rank is to look.
const everyEvents = 16

// Looked notes what the clock said.
//
//go:norace
func (b *Board) Looked(now time.Duration) { b.now, b.stale = now, 0 }

// Now is the time of the last look.
func (b *Board) Now() time.Duration { return b.now }

// LastCall is the call that was begun last.
func (b *Board) LastCall() (kind Kind, name Name, number uint64) {
	return b.call.kind, b.call.name, b.call.number
}

// Stale reports whether the next event needs a look at the clock. The time of an event is that of the last look, which
// is at most so many events old: a look costs more than an empty epoch's bookkeeping does.
func (b *Board) Stale() bool {
	b.stale++
	return b.stale > everyEvents
}

// Call notes the begin of a call that all ranks make.
func (b *Board) Call(kind Kind, name string) { b.begin(kind, b.Named(name), b.call.number+1) }

//go:norace
func (b *Board) begin(kind Kind, name Name, number uint64) {
	n := b.head.Load()
	e := &b.events[n%Events]
	*e = event{at: b.now, kind: kind, name: name, number: number}
	if kind >= Epoch {
		e.site = b.sites.caller()
		b.call, b.opened = *e, n
	}
	b.head.Store(n + 1)
}

// End notes that the call begun last has returned.
//
//go:norace
func (b *Board) End() {
	b.call.end = max(b.now, 1)
	if b.call.kind == Epoch {
		b.epochs += b.now - b.call.at
	}
	if b.head.Load()-b.opened <= Events {
		b.events[b.opened%Events].end = b.call.end
	}
}

// waiting is what a rank waits for.
type waiting struct {
	Wait
	call   Name  // in which, where that says more
	target Name  // of whose link
	rank   int32 // at its other end; -1 for none
}

// Waits notes that the rank waits, in a call of this name, or "".
//
//go:norace
func (b *Board) Waits(w Wait, call string) { b.wait = waiting{Wait: w, call: b.Named(call), rank: -1} }

// WaitsForLink notes that the rank waits for a link of a target to another rank, or for any for -1.
//
//go:norace
func (b *Board) WaitsForLink(w Wait, target string, rank int) {
	b.wait = waiting{Wait: w, target: b.Named(target), rank: int32(rank)}
}

// Waited notes that the wait has ended.
//
//go:norace
func (b *Board) Waited() {
	if b.parked {
		b.parked = false
		if n := b.head.Load(); n > 0 {
			b.events[(n-1)%Events].end = b.now
		}
	}
	b.wait = waiting{}
}

// Parks notes that the rank is about to park. Parks in a row, for the same, are one event.
//
//go:norace
func (b *Board) Parks() {
	n := b.head.Load()
	if n > 0 {
		if e := &b.events[(n-1)%Events]; e.kind == Parked && e.name == Name(b.wait.Wait) {
			e.number++
			e.end = 0
			b.parked = true
			return
		}
	}
	b.parked = true
	b.begin(Parked, Name(b.wait.Wait), 1)
}

// Count publishes what the rank has counted and holds, and how much it has brought forward.
//
//go:norace
func (b *Board) Count(c *state.Counters, m state.Memory, moved uint64) {
	b.counters, b.memory, b.moved = *c, m, moved
}

// Begins notes that the rank runs.
func (b *Board) Begins() { b.begun.Store(true) }

// Begun reports whether the rank runs, or has run. It is for readers.
func (b *Board) Begun() bool { return b.begun.Load() }

// SetStatus publishes what the application says of itself. Any goroutine may call it.
func (b *Board) SetStatus(text string) {
	b.status.Store(&text)
	b.told.Add(1)
}

// Ask asks the rank for details: it publishes them when it next looks. It is for readers.
func (b *Board) Ask() { b.asked.Store(true) }

// Asked reports whether somebody wants details, which have not been published. It costs one load.
func (b *Board) Asked() bool { return b.asked.Load() }

// Detail publishes details.
func (b *Board) Detail(d *Details) {
	b.asked.Store(false)
	b.details.Store(d)
}
