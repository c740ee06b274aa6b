package termination

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/activepebbles/pebbles/route"
)

// check returns an error for an invalid site.
func (s Site) check(name string) error {
	switch {
	case s.Rank < 0 || s.Rank >= s.Ranks:
		return fmt.Errorf("termination: %s on rank %d of %d: ranks are 0 to P-1", name, s.Rank, s.Ranks)
	case s.Depth < 0:
		return fmt.Errorf("termination: %s with depth %d: a depth is at least 1, or 0 when it is not known", name, s.Depth)
	case s.Hops < 0:
		return fmt.Errorf("termination: %s with routes of %d hops: a route has at least 1 hop, or 0 when it is not known",
			name, s.Hops)
	case s.Topology != nil && s.Topology.Ranks() != s.Ranks:
		return fmt.Errorf("termination: %s on %d ranks with topology %q of %d: make the topology for the ranks of the job",
			name, s.Ranks, s.Topology.Name(), s.Topology.Ranks())
	}
	return nil
}

// deep checks that the depth is known.
func (s Site) deep(name string) error {
	if err := s.check(name); err != nil {
		return err
	}
	if s.Depth == 0 {
		return fmt.Errorf("termination: %s needs a declared depth: let the epoch declare it with pebble.Depth(n), or use skr",
			name)
	}
	return nil
}

// levels returns the highest level of any frame (see the package's comment).
func (s Site) levels(name string) (int, error) {
	if err := s.deep(name); err != nil {
		return 0, err
	}
	if s.Hops == 0 {
		return 0, fmt.Errorf("termination: %s needs routes of a known length, and they may change while an epoch runs: "+
			"use a fixed topology, or use skr", name)
	}
	if s.Depth > math.MaxInt32/s.Hops {
		return 0, fmt.Errorf("termination: %s would need a round for each of %d pebbles times %d hops: use skr",
			name, s.Depth, s.Hops)
	}
	return s.Depth * s.Hops, nil
}

// shared returns the topology that all targets share.
func (s Site) shared(name string) (route.Topology, error) {
	if s.Topology == nil {
		return nil, fmt.Errorf("termination: %s needs one topology for all targets: "+
			"give them the same target.Route, or use skr, nbx or pcx", name)
	}
	return s.Topology, nil
}

// staged returns the topology that all targets share, whose links have an order.
func (s Site) staged(name string) (route.Staged, error) {
	t, err := s.shared(name)
	if err != nil {
		return nil, err
	}
	staged, ok := t.(route.Staged)
	if !ok {
		return nil, fmt.Errorf("termination: %s needs a topology whose links have stages, and %q has none: "+
			"use one that implements route.Staged, or use skr, nbx, pcx or pcx-neighbors", name, t.Name())
	}
	return staged, nil
}

// log returns ⌈log2 P⌉.
func (s Site) log() int { return bits.Len(uint(s.Ranks - 1)) }

// most returns the maximum number of out-neighbours of a rank. It stops when one has enough.
func most(t route.Topology, enough int) (n int) {
	if d, ok := t.(route.Degreed); ok {
		return d.Degree()
	}
	enough = min(enough, t.Ranks()-1) // the maximum of any rank
	for at := 0; at < t.Ranks() && n < enough; at++ {
		n = max(n, len(t.Neighbors(at)))
	}
	return n
}
