package target

import (
	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/request"
)

// Free frees the target: its buffers, its reduction cache and the memory reserved for it, its number and its name,
// which another target may then use. All ranks free the same targets in the same order, between epochs; the next epoch
// compares them. It is the last call of the target: later ones panic, another Free too. When the job has failed, it
// does nothing, so that it may be deferred.
func (t *Target[V]) Free() { free(t.core) }

// Free frees the targets for questions and for answers, by the rules of [Target.Free].
func (a *Ask[Q, A]) Free() {
	a.exchange.Free()
	a.keyed, a.batch, a.out = nil, request.Batch[Q, A]{}, nil
}

// Free frees the directory, by the rules of [Target.Free], and forgets all moves. Free the targets over it before.
func (d *Directory[S]) Free() {
	for e := range d.rank.Inside(frame.Access{}).Targets.Endpoints() {
		if c, ok := e.(*core); ok && c.owner == distribution.Map(d) {
			d.rank.Inside(frame.Access{}).Misuse("target", "%s was freed, and target %q is over it: free that first",
				d.Describe(),
				c.out.Name)
		}
	}
	d.moves.Free()
	d.news.Free()
	d.keys, d.waiting = distribution.NewDirectory(d.base, d.rank.ID()), nil
}

func (d *Directory[S]) freed() bool { return d.moves.core.spec == nil }

// free clears a target except for its name and the fields that mark it as freed.
func free(c *core) {
	if c.engine.Free() {
		*c = core{engine: c.engine, out: coalesce.Outbox{Label: c.out.Label}}
	}
}
