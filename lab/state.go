package lab

import "time"

// State is the distance between the machine's cores. Hypervisors migrate a guest's virtual cores while it runs: a cache
// line's round trip takes 50 to 110 ns between near cores, and 310 to 450 ns between far ones. The speed of ranks
// changes with it.
type State string

// The states of a run.
const (
	Near    State = "near"    // less than 200 ns per round trip before and after the run
	Far     State = "far"     // more, before and after
	Mixed   State = "mixed"   // it changed
	Unknown State = "unknown" // not measured: one core
)

const farFrom = 200 * time.Nanosecond

// stateOf returns the state of a run from the round trips before and after it.
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

// State returns the state of all samples, or Mixed if they differ.
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
