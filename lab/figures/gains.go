package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"time"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// gainsProgram measures the time of a get and of a put of package memory, by size, with an attending owner (XLUPC,
// figures 6 and 7). It is a job of two processes. lab/gains/run starts it with the address cache and without.
func gainsProgram() lab.Program {
	var options *pebble.Options
	return lab.Program{Name: "gains", Own: func(f *flag.FlagSet) { options = pebble.Flags(f) },
		Run: func(context.Context, *lab.Session) error {
			options.Main(os.Stdout, accesses)
			return nil
		}}
}

// accesses gets on rank 0 from the last rank, and puts to it.
func accesses(r *pebble.Rank) error {
	const most = 4 << 20 // bytes
	type row struct {
		Bytes int     `json:"bytes"`
		Get   float64 `json:"get"` // µs
		Put   float64 `json:"put"` // µs
	}
	a := memory.NewArray[byte](memory.New(r), "data", distribution.Block(uint64(most*r.Size()), r.Size()))
	var rows []row
	if err := r.Epoch(func() error {
		if r.ID() > 0 {
			return nil
		}
		all, lo := make([]byte, most), uint64(most*(r.Size()-1))
		for n := 1; n <= most; n *= 4 {
			rows = append(rows, row{n, timed(r, func() { a.GetRange(lo, all[:n]) }),
				timed(r, func() { a.PutRange(lo, all[:n]) })})
		}
		return nil
	}); err != nil || r.ID() > 0 {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(rows)
}

// timed returns the time of a call in microseconds, after some uncounted calls.
func timed(r *pebble.Rank, call func()) float64 {
	for range 3 {
		call()
	}
	began, n := r.Now(), 0
	for ; n < 20 || r.Now()-began < 8*time.Millisecond; n++ {
		call()
	}
	return float64((r.Now() - began).Microseconds()) / float64(n)
}
