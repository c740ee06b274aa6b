package engine

import (
	"iter"
	"slices"
)

// registered are the targets of a rank that were registered and not freed.
type registered struct {
	targets  []*Target // in the order of their registration
	numbered []*Target // by the number that frames carry; nil where one was freed
	changes  int       // registrations and frees
	news     []byte    // those that were not compared with the other ranks, in a line each
}

// changed notes what all ranks are to register or free in the same order.
func (x *registered) changed(what string) {
	x.changes++
	x.news = append(append(x.news, what...), '\n')
}

// number gives a target the least number that no other has.
func (x *registered) number(t *Target) {
	at := slices.Index(x.numbered, nil)
	if at < 0 {
		at, x.numbered = len(x.numbered), append(x.numbered, nil)
	}
	t.Index, x.numbered[at] = uint16(at), t
}

// Descriptions are those of all targets.
func (x *registered) Descriptions() iter.Seq[Description] {
	return func(yield func(Description) bool) {
		for _, t := range x.targets {
			if !yield(t.description) {
				return
			}
		}
	}
}

// Endpoints are those of all targets.
func (x *registered) Endpoints() iter.Seq[Endpoint] {
	return func(yield func(Endpoint) bool) {
		for _, t := range x.targets {
			if !yield(t.endpoint) {
				return
			}
		}
	}
}
