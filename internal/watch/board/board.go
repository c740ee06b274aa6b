package board

import (
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Events is the number of events that a board keeps.
const Events = 256

// Board is the published state of one rank. All methods are for the rank's goroutine, except those marked for readers.
type Board struct {
	events [Events]event
	head   atomic.Uint64 // events begun since the start of the job
	call   event         // last event that is a call of all ranks
	opened uint64        // head at its begin
	turns  uint32        // calls of the whole job so far
	wait   waiting
	parked bool // the rank has parked in this wait

	counters state.Counters
	memory   state.Memory
	moved    uint64        // progress of the rank
	epochs   time.Duration // time in finished epochs

	now    time.Duration // last look at the clock
	stale  int           // events since then
	sites  sites
	names  lastName
	begun  atomic.Bool
	status atomic.Pointer[string]
	told   atomic.Uint64 // number of status messages of the application

	asked   atomic.Bool // a reader has asked for details
	details atomic.Pointer[Details]
}

// Details are published only on request: they cost the rank microseconds.
type Details struct {
	Links   []state.Link
	Targets []state.Target
	Tasks   []state.Tasks
}

// event is one event in words: its subject, begin, end, number, kind, name and site.
type event struct {
	at, end time.Duration
	number  uint64 // of a call, among all of the rank
	kind    Kind
	name    Name
	site    Site
	team    Name   // 0 for the whole job
	turn    uint32 // of a call: its number among those of its team
}

// Kind is the kind of an event.
type Kind uint32

// The kinds of events. Collectives are Collective and above, by their purpose.
const (
	none Kind = iota
	Parked
	Epoch
	Collective
)

// Wait is the reason of a rank's wait.
type Wait uint32

// The reasons of waits.
const (
	Nothing     Wait = iota
	ForEnd           // the end of an epoch
	ForOthers        // a collective
	ForCredit        // credit of a link
	ForRoom          // room for another frame
	ForOneSided      // operations on exposed memory, including posted ones
	ForAnswer        // an answer to a call of the main function
	waits
)

var waitNames = [waits]string{
	ForEnd: state.WaitEnd, ForOthers: state.WaitOthers, ForCredit: "credit of a link",
	ForRoom: "room for another frame", ForOneSided: "exposed memory", ForAnswer: "an answer",
}

// String describes the reason of a wait.
func (w Wait) String() string { return waitNames[w] }

// everyEvents is the number of events without a look at the clock after which the rank must look.
const everyEvents = 16

// Looked records a look at the clock.
//
//go:norace
func (b *Board) Looked(now time.Duration) { b.now, b.stale = now, 0 }

// Now returns the time of the last look.
func (b *Board) Now() time.Duration { return b.now }

// LastCall returns the call that was begun last.
func (b *Board) LastCall() (kind Kind, name Name, number uint64) {
	return b.call.kind, b.call.name, b.call.number
}

// Stale reports whether the next event needs a look at the clock. The time of an event is that of the last look, at
// most everyEvents events earlier: a look costs more than the bookkeeping of an empty epoch.
func (b *Board) Stale() bool {
	b.stale++
	return b.stale > everyEvents
}

// Call records the begin of a call that all ranks make.
func (b *Board) Call(kind Kind, name string) {
	b.turns++
	b.begin(kind, b.Named(name), b.call.number+1, 0, b.turns)
}

// CallOf records the begin of a call that all ranks of a team make, and its number among them.
func (b *Board) CallOf(team string, turn uint32, kind Kind, name string) {
	b.begin(kind, b.Named(name), b.call.number+1, Name(names.number(team)), turn)
}

//go:norace
func (b *Board) begin(kind Kind, name Name, number uint64, team Name, turn uint32) {
	n := b.head.Load()
	e := &b.events[n%Events]
	*e = event{at: b.now, kind: kind, name: name, number: number, team: team, turn: turn}
	if kind >= Epoch {
		e.site = b.sites.caller()
		b.call, b.opened = *e, n
	}
	b.head.Store(n + 1)
}

// End records the return of the last call.
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

// waiting describes a wait of a rank.
type waiting struct {
	Wait
	call   Name  // call of the wait, if that adds information
	target Name  // target of the link
	rank   int32 // rank at the link's other end; -1 for none
}

// Waits records that the rank waits, in a call of this name, or "".
//
//go:norace
func (b *Board) Waits(w Wait, call string) { b.wait = waiting{Wait: w, call: b.Named(call), rank: -1} }

// WaitsForLink records that the rank waits for a link of a target to another rank; -1 means any rank.
//
//go:norace
func (b *Board) WaitsForLink(w Wait, target string, rank int) {
	b.wait = waiting{Wait: w, target: b.Named(target), rank: int32(rank)}
}

// Waited records the end of the wait.
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

// Parks records that the rank is about to park. Consecutive parks for the same reason are one event.
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
	b.begin(Parked, Name(b.wait.Wait), 1, b.call.team, 0)
}

// Count publishes the rank's counters, its memory and its progress.
//
//go:norace
func (b *Board) Count(c *state.Counters, m state.Memory, moved uint64) {
	b.counters, b.memory, b.moved = *c, m, moved
}

// Begins records that the rank runs.
func (b *Board) Begins() { b.begun.Store(true) }

// Begun reports whether the rank runs, or has run. It is for readers.
func (b *Board) Begun() bool { return b.begun.Load() }

// SetStatus publishes a status of the application. Any goroutine may call it.
func (b *Board) SetStatus(text string) {
	b.status.Store(&text)
	b.told.Add(1)
}

// Ask asks the rank for details, which it publishes at its next look. It is for readers.
func (b *Board) Ask() { b.asked.Store(true) }

// Asked reports whether requested details are still unpublished. It costs one load.
func (b *Board) Asked() bool { return b.asked.Load() }

// Detail publishes details.
func (b *Board) Detail(d *Details) {
	b.asked.Store(false)
	b.details.Store(d)
}
