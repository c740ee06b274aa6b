package nbody

import "math"

// leapfrog moves bodies by kicks of half a step, drifts of a whole one, and kicks of half a step. A body on rung r has
// steps of 1/2^r of a whole one. Time within a step is counted in the least of these.
type leapfrog struct {
	*part
	forces func(active func(b *body) bool) error // finds those on active bodies; it may pass bodies on to others
	most   func(n uint64) (uint64, error)        // of all parts
}

// all are the bodies when a step begins, and when it ends.
func all(*body) bool { return true }

// ticks are how many of the least steps a step of a rung has.
func (l *leapfrog) ticks(rung uint8) uint64 { return 1 << (uint(l.Rungs) - uint(rung)) }

// step is one whole step. Before the first one the forces on all bodies must have been found.
func (l *leapfrog) step() error {
	whole := l.ticks(0)
	for tick := uint64(0); tick < whole; {
		l.choose(tick)
		l.kick(tick)
		own := uint64(0)
		for i := range l.bodies {
			own = max(own, uint64(l.bodies[i].rung))
		}
		highest, err := l.most(own)
		if err != nil {
			return err
		}
		ticks := l.ticks(uint8(highest))
		l.drift(l.Step * float64(ticks) / float64(whole))
		tick += ticks
		if err := l.forces(func(b *body) bool { return l.isActive(b, tick) }); err != nil {
			return err
		}
		l.kick(tick)
	}
	return nil
}

// isActive reports whether a step of the body ends at a tick, and the next one begins.
func (l *leapfrog) isActive(b *body, tick uint64) bool { return tick%l.ticks(b.rung) == 0 }

// kick changes the velocities of active bodies by half of their steps.
func (l *leapfrog) kick(tick uint64) {
	for i := range l.bodies {
		if b := &l.bodies[i]; l.isActive(b, tick) {
			b.Vel = b.Vel.Plus(math.Ldexp(l.Step/2, -int(b.rung)), b.Acc)
		}
	}
}

func (l *leapfrog) drift(time float64) {
	for i := range l.bodies {
		b := &l.bodies[i]
		b.Pos = b.Pos.Plus(time, b.Vel)
	}
}

// choose gives active bodies the rungs that their accelerations ask for. Larger steps begin where they would begin
// without smaller ones.
func (l *leapfrog) choose(tick uint64) {
	if l.Rungs == 0 {
		return
	}
	for i := range l.bodies {
		b := &l.bodies[i]
		if !l.isActive(b, tick) {
			continue
		}
		fits := l.Eta * math.Sqrt(b.Soft/math.Sqrt(b.Acc.Dot(b.Acc)))
		rung := 0
		for rung < l.Rungs && (math.Ldexp(l.Step, -rung) > fits || tick%l.ticks(uint8(rung)) != 0) {
			rung++
		}
		b.rung = uint8(rung)
	}
}
