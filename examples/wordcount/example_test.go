package main

import (
	"context"
	"fmt"
	"os"

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

// The ready-made codec serves where a codec of one's own is not worth its lines.
func Example_readyMadeCodec() {
	option := target.Coded[count](avro.Must[count]())
	fmt.Println(option != nil)
	// Output: true
}
