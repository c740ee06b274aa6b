package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

const (
	people = 10_000 // stored, and looked up, by each rank
	batch  = 64
)

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		found, err := run(r)
		if err == nil {
			fmt.Printf("rank %d of %d has found %d of %d\n", r.ID(), r.Size(), found, people)
		}
		return err
	})
}

// entry is a person with an age; an answer with none is for an unknown person.
type entry struct{ Person, Age uint64 }

// run fills the map with every second person, looks up all of them, and returns the number found.
func run(r *pebble.Rank) (found int, err error) {
	ages := map[uint64]uint64{} // this rank's part
	owner := distribution.Hash(r.Size())
	put := target.New(r, "put", owner, target.Key(func(e entry) uint64 { return e.Person }),
		target.Each(func(e entry) { ages[e.Person] = e.Age }))
	s := task.New(r)
	get := delegate.New(s, "get", owner, func(person uint64) uint64 { return person },
		func(person uint64) uint64 { return ages[person] })

	first := uint64(people * r.ID())
	if err := r.Epoch(func() error {
		for person := first; person < first+people; person += 2 {
			put.Send(entry{person, 1 + person%100})
		}
		return nil
	}); err != nil {
		return 0, err
	}
	err = s.Run(func() {
		s.For(first, first+people, batch, func(from, to uint64) {
			persons, answers := make([]uint64, to-from), make([]uint64, to-from)
			for i := range persons {
				persons[i] = from + uint64(i)
			}
			get.CallAll(persons, answers) // one wait for the batch
			for i, age := range answers {
				if age == 1+persons[i]%100 {
					found++
				}
			}
		})
	})
	return found, err
}
