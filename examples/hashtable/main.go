package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

const (
	part  = 1 << 12 // slots of each rank
	words = 2500    // written and read by each rank
)

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		found, rounds, err := run(r)
		if err == nil {
			fmt.Printf("rank %d of %d has found %d of %d, in %d gathers\n", r.ID(), r.Size(), found, words, rounds)
		}
		return err
	})
}

// slot is free while its key is 0.
type slot struct{ Key, Value uint64 }

// next returns the slot after one, of the same rank.
func next(i uint64) uint64 { return i/part*part + (i+1)%part }

// mix spreads keys: it is the finaliser of splitmix64.
func mix(key uint64) uint64 {
	key = (key ^ key>>30) * 0xbf58476d1ce4e5b9
	key = (key ^ key>>27) * 0x94d049bb133111eb
	return key ^ key>>31
}

// run writes words to the table, and then reads those of the next rank.
func run(r *pebble.Rank) (found, rounds int, err error) {
	table := memory.NewArray[slot](memory.New(r), "table", distribution.Block(part*uint64(r.Size()), r.Size()))
	home := func(key uint64) uint64 { return mix(key) % table.Len() }
	s := task.New(r)
	write := delegate.New(s, "write", table.Distribution(), func(v slot) uint64 { return home(v.Key) }, func(v slot) bool {
		own := table.Local()
		for i, n := home(v.Key)%part, 0; n < part; i, n = (i+1)%part, n+1 {
			if own[i].Key == 0 || own[i].Key == v.Key {
				own[i] = v
				return true
			}
		}
		return false // the rank's part is full
	})
	first := uint64(1 + words*r.ID())
	if err := s.Run(func() {
		s.For(first, first+words, 64, func(from, to uint64) {
			for key := from; key < to; key++ {
				write.Call(slot{key, key * key})
			}
		})
	}); err != nil {
		return 0, 0, err
	}

	first = uint64(1 + words*((r.ID()+1)%r.Size()))
	keys, at, got := make([]uint64, words), make([]uint64, words), make([]slot, words)
	for i := range keys {
		keys[i] = first + uint64(i)
		at[i] = home(keys[i])
	}
	err = r.Epoch(func() error {
		for ; len(keys) > 0; rounds++ {
			table.Gather(got[:len(at)], at)
			rest := 0 // keys that are not in their current slot
			for i, key := range keys {
				switch v := got[i]; {
				case v.Key == key && v.Value == key*key:
					found++
				case v.Key != 0:
					keys[rest], at[rest] = key, next(at[i])
					rest++
				}
			}
			keys, at = keys[:rest], at[:rest]
		}
		return nil
	})
	return found, rounds, err
}
