package main

import (
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// around sends a pebble from each rank to each, before and after the link between ranks 0 and 1 is marked.
func around(r *pebble.Rank, out io.Writer) error {
	if err := greetAll(r, "all links", out); err != nil {
		return err
	}
	if r.ID() == 0 {
		r.MarkLink(0, 1, true)
	}
	if err := r.Barrier(); err != nil {
		return err
	}
	return greetAll(r, "not 0-1", out)
}

// greetAll makes a target and sends its pebbles. Rank 0 prints the number of pebbles that passed a hop.
func greetAll(r *pebble.Rank, name string, out io.Writer) error {
	greet := target.New(r, name, distribution.Ranks(r.Size()),
		target.Key(func(to uint64) uint64 { return to }), target.Each(func(uint64) {}))
	before := r.Counters()
	err := r.Epoch(func() error {
		for to := range r.Size() {
			greet.Send(uint64(to))
		}
		return nil
	})
	if err != nil {
		return err
	}
	total, err := pebble.AllReduce(r, r.Counters().Since(before), pebble.Counters.Add)
	if err == nil && r.ID() == 0 {
		_, err = fmt.Fprintf(out, "%s: %d pebbles handled, %d passed through a hop\n",
			name, total.PebblesHandled, total.Forwarded)
	}
	return err
}
