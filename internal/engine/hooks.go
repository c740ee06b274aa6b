package engine

// hooks are functions of packages above the engine, which it calls at certain points.
type hooks struct {
	boundaries []func(call string) error
	faults     []func(at uintptr) string
	notes      []func() string
	ends       []func(returned bool) error
}

// OnBoundary registers check. It runs before every epoch and after the rank's function returns nil; an error fails the
// job. call names the call that is about to begin.
func (h *hooks) OnBoundary(check func(call string) error) { h.boundaries = append(h.boundaries, check) }

// DescribeFault registers describe, which explains a fault at an address, or returns "" for an unknown address.
func (h *hooks) DescribeFault(describe func(at uintptr) string) {
	h.faults = append(h.faults, describe)
}

// OnExplain registers say, which describes the program's memory besides buffers, for explanations.
func (h *hooks) OnExplain(say func() string) { h.notes = append(h.notes, say) }

// OnEnd registers end. It runs once, after the rank's function. If that has returned nil, end may call collectives, and
// its error fails the job.
func (h *hooks) OnEnd(end func(returned bool) error) { h.ends = append(h.ends, end) }

// end calls the functions given to OnEnd that have not been called.
func (h *hooks) end(returned bool) (err error) {
	for len(h.ends) > 0 && err == nil {
		end := h.ends[0]
		h.ends = h.ends[1:]
		err = end(returned)
	}
	return err
}

// Explanations returns the texts of all functions given to OnExplain.
func (h *hooks) Explanations() (all []string) {
	for _, say := range h.notes {
		all = append(all, say())
	}
	return all
}

// fault returns a panic's value, or its description if a hook recognizes the fault.
func (h *hooks) fault(value any) any {
	if f, ok := value.(interface{ Addr() uintptr }); ok && h != nil {
		for _, describe := range h.faults {
			if words := describe(f.Addr()); words != "" {
				return words
			}
		}
	}
	return value
}

func (h *hooks) mayBegin(call string) error {
	for _, check := range h.boundaries {
		if err := check(call); err != nil {
			return err
		}
	}
	return nil
}
