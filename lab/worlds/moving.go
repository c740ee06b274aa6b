package worlds

import (
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// moves reports whether keys of any target have a directory.
func (w *World) moves() bool { return w.Moving&(1<<w.Targets-1) != 0 }

// declares reports whether epochs declare a depth, which does not bound pebbles for keys that move.
func (w *World) declares() bool { return w.Declared == 1 && !w.moves() }

// travels reports whether the keys of a target have a directory.
func (w *World) travels(target int) bool { return w.Moving>>target&1 == 1 }

// movedState travels with a key that moves: the tallies of its handlers, by target, and the rank that it leaves.
type movedState struct {
	From    uint32
	Tallies [targetsMost]tally
}

// moving is the part of the program that moves keys. They belong to all targets that have the directory.
type moving struct {
	directory *target.Directory[movedState]
	pebbles   uint64          // sent by the directory, counted on arrival
	pending   map[uint64]bool // keys on this rank that move in this epoch
}

// openDirectory registers the directory, if the world has one.
func (p *program) openDirectory(r *pebble.Rank, base distribution.Map) {
	if !p.moves() {
		return
	}
	p.pending = map[uint64]bool{}
	p.directory = target.NewDirectory(r, "keys", base, p.depart, p.arrive)
}

func (p *program) depart(key uint64) (l movedState) {
	delete(p.pending, key)
	l.From = uint32(p.rank.ID())
	for i := range p.Targets {
		if p.travels(i) {
			at := &p.tallies[i*p.Keys+int(key)]
			l.Tallies[i], *at = *at, tally{}
		}
	}
	return l
}

func (p *program) arrive(key uint64, l movedState) {
	for i := range p.Targets {
		if p.travels(i) {
			p.tallies[i*p.Keys+int(key)] = l.Tallies[i]
		}
	}
	p.pebbles++
	if home := p.directory.Home(key); home != int(l.From) && home != p.rank.ID() {
		p.pebbles++ // one informs the home
	}
}

// move moves a key with the given probability, if it is on this rank. number determines both choices.
func (p *program) move(key uint32, number uint64) {
	if p.directory == nil || mix(number, 8)%100 >= uint64(p.Moves) || !p.directory.Owns(uint64(key)) {
		return
	}
	to := int(mix(number, 9) % uint64(p.Ranks))
	if to != p.rank.ID() {
		p.pending[uint64(key)] = true
	}
	p.directory.Move(uint64(key), to)
}

// owned returns the number of keys of the directory on this rank.
func (p *program) owned() (n int) {
	for key := range p.Keys {
		if p.directory != nil && p.directory.Owns(uint64(key)) {
			n++
		}
	}
	return n
}
