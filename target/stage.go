package target

// StageMost is how many pebbles calls of [Target.Send] gather before these go on together, if not coalesced by less.
const StageMost = 64

// stage gathers the pebbles of single sends, so that those cost little more than SendAll: owners are worked out, and handlers
// run, for many at a time. There is one for the main function and one for handlers, because a send of the former may let
// handlers run.
type stage[V any] struct {
	vs    []V
	n     int
	depth uint8 // of all that are in it
}

func (s *stage[V]) open(factor int) { s.vs, s.depth = make([]V, min(factor, StageMost)), 1 }

// send puts a pebble into a stage, which goes on when it is full.
func (p *plain[V]) send(v V) {
	if !p.door.InBody() {
		p.sendInner(v)
		return
	}
	p.door.Pass() // a slow sender's buffers are looked at with each send
	if s := &p.stages.main; !s.put(v) {
		p.fill(s, v, false)
	}
}

// sendInner is send in a handler.
func (p *plain[V]) sendInner(v V) {
	inHandler, depth := p.door.Enter(), p.door.NextDepth()
	s := &p.stages.inner
	if depth != s.depth {
		p.empty(s, inHandler)
		s.depth = depth
	}
	if !s.put(v) {
		p.fill(s, v, inHandler)
	}
}

// put adds a pebble, but not the last one that there is room for. It is small enough to be inlined.
func (s *stage[V]) put(v V) bool {
	n := s.n
	if uint(n)+1 >= uint(len(s.vs)) {
		return false
	}
	s.vs[n] = v
	s.n = n + 1
	return true
}

// fill adds the last pebble, and sends what is in the stage.
func (p *plain[V]) fill(s *stage[V], v V, inHandler bool) {
	n := s.n // another goroutine that must not be here may change it
	if uint(n) >= uint(len(s.vs)) {
		p.door.Crowded()
	}
	s.vs[n] = v
	s.n = n + 1
	p.door.Begin(inHandler)
	p.empty(s, inHandler)
	p.door.End()
}

// empty sends what is in a stage, and tells whether that was anything.
func (p *plain[V]) empty(s *stage[V], inHandler bool) bool {
	n := s.n
	if n == 0 {
		return false
	}
	s.n = 0
	p.sendDeep(s.vs[:n], inHandler, s.depth)
	return true
}

// gathered empties both stages: that of the main function only when no send of it is under way, which waits and lets others
// look for what is due. What handlers have sent to this rank is queued, wherever this is called from.
func (p *plain[V]) gathered() (moved bool) {
	if !p.busy {
		moved = p.empty(&p.stages.main, p.door.InHandler())
	}
	return p.empty(&p.stages.inner, true) || moved
}
