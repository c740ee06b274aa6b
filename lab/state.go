package lab

import "time"

// State is how close the machine's cores are to each other. Hypervisors migrate a guest's virtual cores while it runs:
// when they are near each other, a cache line's round trip takes 50 to 110 ns; far, 310 to 450 ns. The speed of ranks
// changes with it.
type State string

// The states of a run.
const (
	Near    State = "near"    // before and after the run a round trip took less than 200 ns
	Far     State = "far"     // it took longer, before and after
	Mixed   State = "mixed"   // it changed
	Unknown State = "unknown" // it could not be measured: there is one core
)

const farFrom = 200 * time.Nanosecond

// stateOf is the state of a run from the round trips before and after it.
func stateOf(before, after time.Duration) State {
	switch {
	case before <= 0 || after <= 0:
		return Unknown
	case before < farFrom && after < farFrom:
		return Near
	case before >= farFrom && after >= farFrom:
		return Far
	}
	return Mixed
}

// State is that of all samples: Mixed when they differ.
func (r *Result) State() State {
	state := Unknown
	for i, s := range r.Samples {
		if i > 0 && s.State != state {
			return Mixed
		}
		state = s.State
	}
	return state
}
