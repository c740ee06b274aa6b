package main

import (
	"context"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/target/avro"
)

// The words of the built-in text.
func Example() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		return run(r, os.Stdout, nil)
	})
	fmt.Println(err)
	// Output:
	//       10  the
	//        7  pebble
	//        4  is
	//        4  when
	//        3  and
	//        3  key
	//        3  of
	//        2  a
	//        2  each
	//        2  every
	//       53  different words
	// <nil>
}

// The ready-made codec serves if a user's codec is not worth its lines.
func Example_readyMadeCodec() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		words := target.New(r, "words", distribution.Hash(r.Size()),
			target.Key(func(c count) uint64 { return distribution.HashString(c.Word) }),
			target.Each(func(c count) { fmt.Println(c.N, c.Word) }),
			target.Coded[count](avro.Must[count]()))
		return r.Epoch(func() error {
			if distribution.Hash(2).Owner(distribution.HashString("pebble")) != r.ID() {
				words.Send(count{"pebble", 7}) // from the rank that does not own it, so that it travels
			}
			return nil
		})
	})
	fmt.Println(err)
	// Output:
	// 7 pebble
	// <nil>
}
