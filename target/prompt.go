package target

import (
	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/route"
)

// promptly makes a target one whose flushed pebbles never wait for an idle rank: they travel directly, in buffers of their rank
// alone, and what finds no credit leaves when credit comes.
var promptly = option(func(s *settings) { s.topology, s.prompt = route.Direct, true })

// Pump implements engine.Endpoint. A flush leaves pebbles in a lane only when frames wait for credit ahead of them, so that Pump is
// called until they are gone.
func (o *outbox) Pump() {
	o.credit.Pump()
	if o.prompt && o.filled {
		o.flush(coalesce.Explicit, engine.AllStages)
	}
}

// throttle is for the main function's side, ahead of a send that must not wait: it handles what arrives until no frame waits for
// credit, and another one may be under way.
func (o *outbox) throttle() {
	for idle := 0; len(o.waiting) > 0; {
		idle = o.door.Turn(idle)
	}
	o.door.Room(o.least * o.unit)
}
