package engine

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
)

// targets are the targets of a rank that are registered and not freed.
type targets struct {
	all      []*Target // in the order of their registration
	numbered []*Target // by their number in frames; nil if freed
	changes  int       // registrations and frees
	news     []byte    // changes not yet compared with the other ranks, one per line
	beyond   int       // maximum of ExtraDepth
}

// newsMax limits the bytes of news that are kept as text.
const newsMax = 16 << 10

// changed records an object that all ranks register or free in the same order. Only epochs clear the news, so a program
// without epochs would fill memory: older news are replaced by their number and hash.
func (s *targets) changed(line string) {
	s.changes++
	if len(s.news) > 0 && len(s.news)+len(line) >= newsMax {
		s.news = fmt.Appendf(s.news[:0], "registers and frees %d objects, of hash %016x\n", s.changes-1, hashOf(s.news))
	}
	s.news = append(append(s.news, line...), '\n')
}

// add adds a target, and gives it the lowest free number.
func (s *targets) add(t *Target) {
	at := slices.Index(s.numbered, nil)
	if at < 0 {
		at, s.numbered = len(s.numbered), append(s.numbered, nil)
	}
	t.Index, s.numbered[at] = uint16(at), t
	s.all = append(s.all, t)
	s.beyond = max(s.beyond, t.description.ExtraDepth)
	s.changed("registers " + t.description.String())
}

// remove removes a target, and returns its former index.
func (s *targets) remove(t *Target) (at int) {
	at = slices.Index(s.all, t)
	s.all = slices.Delete(s.all, at, at+1)
	s.numbered[t.Index] = nil
	s.beyond = 0
	for _, other := range s.all {
		s.beyond = max(s.beyond, other.description.ExtraDepth)
	}
	return at
}

// numberedAt returns the target with a number, or nil.
func (s *targets) numberedAt(n uint16) *Target {
	if int(n) >= len(s.numbered) {
		return nil
	}
	return s.numbered[n]
}

// Descriptions returns the descriptions of all targets.
func (s *targets) Descriptions() iter.Seq[Description] {
	return func(yield func(Description) bool) {
		for _, t := range s.all {
			if !yield(t.description) {
				return
			}
		}
	}
}

// Endpoints returns the endpoints of all targets.
func (s *targets) Endpoints() iter.Seq[Endpoint] {
	return func(yield func(Endpoint) bool) {
		for _, t := range s.all {
			if !yield(t.endpoint) {
				return
			}
		}
	}
}

// Flush sends the pebbles in caches, and those in buffers for links up to a stage.
func (s *targets) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	for _, t := range s.all {
		upTo := stage
		if t.description.ExtraDepth > 0 { // a main function may wait for it, and its stage lasts until then
			upTo = coalesce.AllStages
		}
		now, later := t.endpoint.Flush(why, upTo)
		sent, left = sent || now, left || later
	}
	return sent, left
}

// flushDue sends buffers that are due.
func (s *targets) flushDue(now time.Duration) {
	for _, t := range s.all {
		t.endpoint.FlushDue(now)
	}
}

// pump sends frames that have got credit.
func (s *targets) pump() {
	for _, t := range s.all {
		t.outbox.Pump()
	}
}

// drain handles the pebbles that handlers have sent to this rank so far.
func (s *targets) drain() {
	for _, t := range s.all {
		t.endpoint.Drain()
	}
}

// holds reports whether anything may wait in a buffer or a cache.
func (s *targets) holds() bool {
	return slices.ContainsFunc(s.all, func(t *Target) bool { return t.endpoint.Holds() })
}

// allReleased reports whether all frames that this rank has sent have been handled.
func (s *targets) allReleased() bool {
	return !slices.ContainsFunc(s.all, func(t *Target) bool { return !t.outbox.AllReleased() })
}

// moving reports whether keys of a target may move while an epoch runs.
func (s *targets) moving() bool {
	return slices.ContainsFunc(s.all, func(t *Target) bool { return t.description.Moving })
}

// reroute lets targets move the pebbles that wait for links that are down.
func (s *targets) reroute() error {
	for _, t := range s.all {
		if err := t.endpoint.Reroute(); err != nil {
			return fmt.Errorf("target %q: %w", t.Name, err)
		}
	}
	return nil
}

// endEpoch calls EndEpoch of all targets.
func (s *targets) endEpoch() {
	for _, t := range s.all {
		t.endpoint.EndEpoch()
	}
}
