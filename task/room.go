package task

import (
	"slices"

	"github.com/activepebbles/pebbles/internal/engine"
)

// room is a link without room, and the tasks whose sends wait for it.
type room struct {
	to      *engine.Target
	lane    int
	waiting ring[*worker]
}

// Await implements engine.Tasks.
func (s tasks) Await(t *engine.Target, lane int) {
	w := s.caller("a send")
	s.roomOf(t, lane).waiting.push(w)
	w.pause()
}

// roomOf returns the room of the tasks that send over a link.
func (s *Scheduler) roomOf(t *engine.Target, lane int) *room {
	n := len(s.rooms)
	for i := range s.rooms {
		if r := &s.rooms[i]; r.to == t && r.lane == lane {
			return r
		}
	}
	s.rooms = slices.Grow(s.rooms, 1)[:n+1] // reuses the empty queue of an earlier one
	r := &s.rooms[n]
	r.to, r.lane = t, lane
	return r
}

// roomy returns a worker whose send has room; nil for none. Links take turns.
func (s *Scheduler) roomy() *worker {
	for range s.rooms {
		last := len(s.rooms) - 1
		if s.room++; s.room > last {
			s.room = 0
		}
		r := &s.rooms[s.room]
		if !r.to.HasRoom(r.lane) {
			continue
		}
		w := r.waiting.pop()
		if r.waiting.size == 0 {
			s.rooms[s.room], s.rooms[last] = s.rooms[last], s.rooms[s.room]
			s.rooms = s.rooms[:last]
		}
		s.stirred = true
		return w
	}
	s.full = true
	return nil
}
