package sim

import (
	"math/rand/v2"

	"github.com/activepebbles/pebbles/netio"
)

// injector injects the faults of a world.
type injector struct {
	Faults
	world   *World
	random  *rand.Rand         // nil in a world without faults
	streams map[[2]int]*stream // by sending and receiving process
	lost    netio.Frames       // lost or damaged frames, kept until the end
}

// prepare plans the faults before the world begins.
func (i *injector) prepare(w *World) {
	i.world, i.Faults = w, w.config.Faults.withDefaults()
	if i.None() {
		return
	}
	i.random = rand.New(rand.NewPCG(w.config.Seed, 0x6661756c7473))
	i.streams = map[[2]int]*stream{}
	for _, p := range i.Partitions {
		if p.For >= i.Silence {
			w.plan(instantOf(p.At+i.Silence), func() { i.split(p.Below) })
		}
	}
	for _, z := range i.Freezes {
		w.plan(instantOf(z.At), func() { i.freeze(z) })
	}
	for _, d := range i.Deaths {
		w.plan(instantOf(d.At), func() { i.kill(w.processes[d.Process]) })
	}
}

// active reports whether the world has faults.
func (i *injector) active() bool { return i.random != nil }

// split reports the other side of a partition as lost to each side.
func (i *injector) split(below int) {
	w := i.world
	w.mu.Lock()
	w.aborted = true
	w.mu.Unlock()
	for _, p := range w.processes {
		other := w.processes[0]
		if p.place.Process < below {
			other = w.processes[below]
		}
		p.fail(other.loss(ErrSilent))
	}
}

func (i *injector) freeze(z Freeze) {
	w := i.world
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.processes[z.Process]
	for rank := p.place.First; rank < p.place.Last; rank++ {
		w.ranks[rank].frozen = w.now + instantOf(z.For)
	}
	if z.For >= i.Silence && len(w.processes) > 1 {
		w.plan(w.now+instantOf(i.Silence), func() { i.declareLost(p, ErrSilent) })
	}
}

// declareLost reports a process as lost to all others. They close their connections to it, which it notices if alive.
func (i *injector) declareLost(p *Process, cause error) {
	w := i.world
	w.mu.Lock()
	if p.ranks == 0 && !p.dead {
		w.mu.Unlock()
		return // it has ended meanwhile
	}
	p.lost, w.aborted = true, true
	for rank := p.place.First; p.dead && rank < p.place.Last; rank++ {
		w.ranks[rank].clear() // the dead process will not release these
	}
	w.mu.Unlock()
	for _, other := range w.processes {
		if other != p {
			other.fail(p.loss(cause))
		}
	}
	p.fail(w.processes[(p.place.Process+1)%len(w.processes)].loss(ErrBroken))
}

// kill ends a process: its ranks get no more turns.
func (i *injector) kill(p *Process) {
	w := i.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.ranks == 0 || p.dead {
		return
	}
	p.dead, p.lost, p.down = true, true, true
	w.dead += p.ranks
	for rank := p.place.First; rank < p.place.Last; rank++ {
		w.cores.retire(&w.ranks[rank])
		w.queue.later(rank, never)
		w.ranks[rank].parked = false
	}
	w.plan(w.now+instantOf(breaksAfter), func() { i.declareLost(p, ErrBroken) })
}

// endDead ends the functions of dead processes when only these are left: no goroutine leaks. The world is locked.
func (i *injector) endDead() {
	w := i.world
	w.dead = 0
	for _, p := range w.processes {
		if !p.dead {
			continue
		}
		p.dead = false
		for rank := p.place.First; rank < p.place.Last; rank++ {
			r := &w.ranks[rank]
			r.woken = true
			w.queue.sooner(r.id, max(w.now, r.clock))
		}
		w.unlocked(func() { p.fail(ErrDied) })
	}
}
