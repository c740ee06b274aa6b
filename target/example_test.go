package target_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A pebble carries a key and the data of the work to do there.
func ExampleNew() {
	type deposit struct{ Account, Cents uint64 }
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		accounts := distribution.Cyclic(10, r.Size())
		balance := make([]uint64, 5) // of this rank's accounts
		pay := target.New(r, "pay", accounts, target.Key(func(d deposit) uint64 { return d.Account }),
			target.Each(func(d deposit) { balance[accounts.Local(d.Account)] += d.Cents }))
		err := r.Epoch(func() error {
			pay.Send(deposit{Account: 4, Cents: 250})
			return nil
		})
		if r.ID() == accounts.Owner(4) {
			fmt.Println(balance[accounts.Local(4)])
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 500
	// <nil>
}

// A handler may take a whole batch at a time, and may send on.
func ExampleBatch() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		var next *target.Target[uint64]
		keys := distribution.Block(uint64(r.Size()), r.Size())
		next = target.New(r, "next", keys, target.Key(func(key uint64) uint64 { return key }),
			target.Batch(func(batch []uint64) {
				for _, key := range batch {
					fmt.Println("rank", key)
					if key+1 < keys.Len() {
						next.Send(key + 1)
					}
				}
			}))
		return r.Epoch(func() error {
			if r.ID() == 0 {
				next.Send(0)
			}
			return nil
		})
	})
	fmt.Println(err)
	// Output:
	// rank 0
	// rank 1
	// rank 2
	// rank 3
	// <nil>
}

// A handler that gets its own target sends pebbles on, and its error ends the job.
func ExampleTryEach() {
	type visit struct{ Room, Coins uint64 }
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		enter := target.New(r, "enter", distribution.Ranks(r.Size()),
			target.Key(func(v visit) uint64 { return v.Room }),
			target.TryEach(func(enter *target.Target[visit], v visit) error {
				if v.Coins == 0 {
					return errors.New("no coins are left")
				}
				enter.Send(visit{v.Room + 1, v.Coins - 1})
				return nil
			}))
		return r.Epoch(func() error {
			if r.ID() == 0 {
				enter.Send(visit{Room: 0, Coins: 2})
			}
			return nil
		})
	})
	fmt.Println(err)
	var e *target.HandlerError
	fmt.Println(errors.As(err, &e), e.Rank, e.Pebble)
	// Output:
	// rank 2: target "enter": handle pebble {Room:2 Coins:0}: no coins are left
	// true 2 {Room:2 Coins:0}
}

// A handler of batches names the pebble of its error.
func ExamplePebbleError() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		roots := target.New(r, "roots", distribution.Ranks(r.Size()), target.Key(func(float64) uint64 { return 1 }),
			target.TryBatch(func(_ *target.Target[float64], vs []float64) error {
				for i, v := range vs {
					if v < 0 {
						return target.PebbleError(i, errors.New("no root"))
					}
				}
				return nil
			}))
		return r.Epoch(func() error {
			if r.ID() == 0 {
				roots.SendAll([]float64{4, -1, 9})
			}
			return nil
		})
	})
	fmt.Println(err)
	// Output: rank 1: target "roots": handle pebble -1: no root
}

// A rank does other work while its links are full.
func ExampleTarget_TrySend() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		got := 0
		numbers := target.New(r, "numbers", distribution.Ranks(r.Size()), target.Key(func(v int) uint64 { return 1 }),
			target.Batch(func(vs []int) { got += len(vs) }))
		if err := r.Epoch(func() error {
			for sent := 0; r.ID() == 0 && sent < 10_000; {
				if numbers.TrySend(sent) {
					sent++
				} // else do a piece of the other work
			}
			return nil
		}); err != nil {
			return err
		}
		if r.ID() == 1 {
			fmt.Println(got, "numbers")
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 10000 numbers
	// <nil>
}

// The owners of words answer with their meanings.
func ExampleAsk() {
	meanings := map[string]string{"pebble": "one light message to a key", "hop": "a rank that a pebble passes"}
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		look := target.NewAsk(r, "look", distribution.Hash(r.Size()), target.Key(distribution.HashString),
			func(word string) string { return meanings[word] },
			func(word, meaning string) { fmt.Printf("%s: %s\n", word, meaning) },
			target.Coded(pebble.Strings{})) // of questions, and of answers
		return r.Epoch(func() error {
			if r.ID() == 0 {
				look.SendAll([]string{"pebble", "hop"})
			}
			return nil
		})
	})
	fmt.Println(err)
	// Unordered output:
	// pebble: one light message to a key
	// hop: a rank that a pebble passes
	// <nil>
}

// Keys move, and pebbles follow them to their owner, whose handlers find the state that moved with the key.
func ExampleDirectory() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		money := map[uint64]int{} // of the keys that are here
		if r.ID() == 0 {
			money[0] = 100
		}
		where := target.NewDirectory(r, "accounts", distribution.Block(2, 2), // key 0 begins at rank 0
			func(key uint64) int { m := money[key]; delete(money, key); return m }, // departs
			func(key uint64, m int) { money[key] = m })                             // arrives
		pay := target.New(r, "pay", where, target.Key(func(key uint64) uint64 { return key }),
			target.Each(func(key uint64) { money[key]++ }))
		if err := r.Epoch(func() error {
			if r.ID() == 0 {
				where.Move(0, 1)
			}
			pay.Send(0) // from each rank, wherever the key is
			return nil
		}); err != nil {
			return err
		}
		if where.Owns(0) {
			fmt.Printf("rank %d has key 0 with %d\n", r.ID(), money[0])
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// rank 1 has key 0 with 102
	// <nil>
}
