package engine

import "github.com/activepebbles/pebbles/netio"

// OneSided is the rank's access to exposed memory. A rank with operations open is not at rest, so the end of an epoch
// is a fence of all ranks whose end it is. failed is asked at each end for the
// error of what nobody has waited for.
func (r *Rank) OneSided(failed func() error) netio.OneSided {
	r.owned("memory.New was called")
	if r.oneSided == nil {
		r.oneSided = r.Port.OneSided()
	}
	r.accessErrors = append(r.accessErrors, failed)
	return r.oneSided
}

// checkAccesses ends the job if an operation has failed that nobody has waited for.
func (r *Rank) checkAccesses() {
	for _, failed := range r.accessErrors {
		if err := failed(); err != nil {
			r.Fail(&rankError{r.id, err})
		}
	}
}

// accesses is how many operations of this rank on exposed memory are open.
func (r *Rank) accesses() int {
	if r.oneSided == nil {
		return 0
	}
	return r.oneSided.Open()
}

// InEpoch reports whether an epoch is running on this rank.
func (r *Rank) InEpoch() bool { return r.inEpoch() }

// Guarded has check asked before each epoch, and when the rank's function has returned nil: an error ends the job. call
// names what is about to begin.
func (r *Rank) Guarded(check func(call string) error) { r.before = append(r.before, check) }

// Faults has tell say in words what a fault at an address is; "" where it does not know.
func (r *Rank) Faults(tell func(at uintptr) string) { r.faults = append(r.faults, tell) }

// Note has say asked, for explanations, what the program takes besides buffers.
func (r *Rank) Note(say func() string) { r.notes = append(r.notes, say) }

// Notes are what was said.
func (r *Rank) Notes() (all []string) {
	for _, say := range r.notes {
		all = append(all, say())
	}
	return all
}

// fault is a panic's value, in words where it is a fault that somebody knows of.
func (r *Rank) fault(value any) any {
	if f, ok := value.(interface{ Addr() uintptr }); ok {
		for _, tell := range r.faults {
			if words := tell(f.Addr()); words != "" {
				return words
			}
		}
	}
	return value
}

func (r *Rank) mayBegin(call string) error {
	for _, check := range r.before {
		if err := check(call); err != nil {
			return err
		}
	}
	return nil
}

// AwaitBetween lets the main function, between epochs, wait for operations on exposed memory and for what is posted. It
// handles no pebbles: those of the next epoch wait.
func (r *Rank) AwaitBetween(call string, done func() bool) {
	from := r.enter(call)
	for idle := 0; !done(); idle++ {
		if r.Progress() {
			idle = -1
			continue
		}
		r.Rest(idle)
	}
	r.leave(call, from)
}
