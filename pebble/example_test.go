package pebble_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/target/avro"
)

// Every program has this shape.
func ExampleMain() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		// register targets, then
		return r.Epoch(func() error {
			// send pebbles
			return nil
		})
	})
}

// Three ranks each add one to every element of an array that is spread over them.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		elements := distribution.Block(6, r.Size())
		counts := make([]int, 2) // this rank's part
		add := target.New(r, "add", elements, target.Key(func(key uint64) uint64 { return key }),
			target.Each(func(key uint64) { counts[elements.Local(key)]++ }))
		if err := r.Epoch(func() error {
			add.SendAll([]uint64{0, 1, 2, 3, 4, 5})
			return nil
		}); err != nil {
			return err
		}
		if r.ID() == 0 {
			fmt.Println(counts)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// [3 3]
	// <nil>
}

// Each rank has a part, and all compute the sum.
func ExampleAllReduce() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		sum, err := pebble.AllReduce(r, r.ID(), pebble.Sum)
		if r.ID() == 0 {
			fmt.Println(sum)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 6
	// <nil>
}

// Values that are not plain data take a codec.
func ExampleAllReduce_codec() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		counts := map[string]int{"pebble": r.ID(), fmt.Sprint("only of rank ", r.ID()): 1}
		total, err := pebble.AllReduce(r, counts, func(a, b map[string]int) map[string]int {
			for word, n := range b {
				a[word] += n
			}
			return a
		}, avro.Must[map[string]int]())
		if r.ID() == 0 {
			fmt.Println(len(total), total["pebble"])
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4 3
	// <nil>
}

// Ranks with parts of different lengths compute the index at which each part begins in the whole.
func ExampleExclusiveScan() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		part := make([]float64, 10+r.ID())
		first, err := pebble.ExclusiveScan(r, len(part), 0, pebble.Sum)
		if err != nil {
			return err
		}
		firsts, err := pebble.AllGather(r, first)
		if r.ID() == 2 {
			fmt.Println(firsts)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [0 10 21]
	// <nil>
}

// Each rank counts the bits up to the end of its part.
func ExampleScan() {
	parts := []string{"0110", "11", "1011"}
	err := pebble.Run(context.Background(), pebble.Config{Ranks: len(parts)}, func(r *pebble.Rank) error {
		upTo, err := pebble.Scan(r, len(parts[r.ID()]), pebble.Sum)
		if r.ID() == 1 {
			fmt.Println(upTo)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 6
	// <nil>
}

// The root gets the findings of each rank, of any length.
func ExampleGatherSlice() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		var found []int
		for n := 2; n < 20; n++ {
			if n%(r.ID()+2) == 0 {
				found = append(found, n)
			}
		}
		all, err := pebble.GatherSlice(r, 0, found)
		for rank, found := range all { // nil except on rank 0
			fmt.Println(rank, found)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 0 [2 4 6 8 10 12 14 16 18]
	// 1 [3 6 9 12 15 18]
	// 2 [4 8 12 16]
	// 3 [5 10 15]
	// <nil>
}

// The error of one rank ends the job, and Run returns it.
func ExampleRun_failure() {
	broken := errors.New("disk is full")
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		if r.ID() == 1 {
			return broken
		}
		return r.Barrier()
	})
	fmt.Println(errors.Is(err, broken))
	// Output:
	// true
}

// A program that a scheduler may preempt saves its state when one of its processes gets the signal, and succeeds.
func ExampleRank_Preempted() {
	pebble.Main(pebble.Config{Grace: 25 * time.Second}, func(r *pebble.Rank) error {
		for range 1000 {
			err := r.Epoch(func() error {
				for range 1_000_000 {
					select {
					case <-r.Preempted():
						return nil // the epoch ends in order, with the pebbles sent so far
					default:
						// send some pebbles
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			told := false
			select {
			case <-r.Preempted():
				told = true
			default:
			}
			any, err := pebble.AllReduce(r, told, func(a, b bool) bool { return a || b })
			if any || err != nil {
				return err // after saving this rank's part
			}
		}
		return nil
	})
}

// This program has the flags of all jobs. Its command line is "-ranks 3 -topology ring" here.
func ExampleFlags() {
	flags := flag.NewFlagSet("program", flag.ExitOnError)
	options := pebble.Flags(flags)
	greeting := flags.String("greeting", "hello", "what to say")
	if err := flags.Parse([]string{"-ranks", "3", "-topology", "ring"}); err != nil {
		return
	}
	config, err := options.Config(os.Stdout)
	if err != nil {
		return
	}
	err = pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
		report, err := pebble.Measure(r, func() error { return r.Epoch(func() error { return nil }) })
		if r.ID() == 0 {
			fmt.Println(*greeting, "from", report.Ranks, "ranks,", report.Topology)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// hello from 3 ranks, ring
	// <nil>
}
