package engine

import (
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/netio"
)

// accesses are what a rank does to exposed memory, and messages between locks.
type accesses struct {
	rank         *Rank
	oneSided     netio.OneSided // nil before its first use
	accessErrors []func() error
	post         func(from int, value []byte) // takes what other ranks post; nil when nothing is expected
}

// hooks are what the program, or a package above the engine, is asked by the way.
type hooks struct {
	before []func(call string) error // asked before epochs and at the end; see Guarded
	faults []func(at uintptr) string // tell what accesses to addresses are that fault
	notes  []func() string           // say for explanations what the program takes besides buffers
}

// OneSided is the rank's access to exposed memory. A rank with operations open is not at rest, so the end of an epoch
// is a fence of all ranks whose end it is. failed is asked at each end for the
// error of what nobody has waited for.
func (a *accesses) OneSided(failed func() error) netio.OneSided {
	a.rank.owned("memory.New was called")
	if a.oneSided == nil {
		a.oneSided = a.rank.Port.OneSided()
	}
	a.accessErrors = append(a.accessErrors, failed)
	return a.oneSided
}

// checkAccesses ends the job if an operation has failed that nobody has waited for.
func (a *accesses) checkAccesses() {
	for _, failed := range a.accessErrors {
		if err := failed(); err != nil {
			a.rank.Fail(&rankError{a.rank.id, err})
		}
	}
}

// openAccesses is how many operations of this rank on exposed memory are open.
func (a *accesses) openAccesses() int {
	if a.oneSided == nil {
		return 0
	}
	return a.oneSided.Open()
}

// InEpoch reports whether an epoch is running on this rank.
func (c *caller) InEpoch() bool { return c.inEpoch() }

// Guarded has check asked before each epoch, and when the rank's function has returned nil: an error ends the job. call
// names what is about to begin.
func (h *hooks) Guarded(check func(call string) error) { h.before = append(h.before, check) }

// Faults has tell say in words what a fault at an address is; "" where it does not know.
func (h *hooks) Faults(tell func(at uintptr) string) { h.faults = append(h.faults, tell) }

// Note has say asked, for explanations, what the program takes besides buffers.
func (h *hooks) Note(say func() string) { h.notes = append(h.notes, say) }

// Notes are what was said.
func (h *hooks) Notes() (all []string) {
	for _, say := range h.notes {
		all = append(all, say())
	}
	return all
}

// fault is a panic's value, in words where it is a fault that somebody knows of.
func (h *hooks) fault(value any) any {
	if f, ok := value.(interface{ Addr() uintptr }); ok {
		for _, tell := range h.faults {
			if words := tell(f.Addr()); words != "" {
				return words
			}
		}
	}
	return value
}

func (h *hooks) mayBegin(call string) error {
	for _, check := range h.before {
		if err := check(call); err != nil {
			return err
		}
	}
	return nil
}

// AwaitBetween lets the main function, between epochs, wait for operations on exposed memory and for what is posted. It
// handles no pebbles: those of the next epoch wait.
func (r *Rank) AwaitBetween(call string, done func() bool) {
	from := r.beginCall(call)
	r.board.Waits(board.ForOneSided, call)
	began, traced := r.Sampled()
	for idle := 0; !done(); idle++ {
		if r.Progress() {
			idle = -1
			continue
		}
		r.Rest(idle)
	}
	r.board.Waited()
	if traced {
		r.TraceAwait(call, began)
	}
	r.endCall(call, from)
}
