package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

const (
	rows  = 16 // of each rank
	width = 1000
	steps = 10
)

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		heat, err := run(r)
		if err == nil {
			fmt.Printf("rank %d of %d has %.3f of the heat\n", r.ID(), r.Size(), heat)
		}
		return err
	})
}

// run lets heat spread from the first row down the matrix, and returns how much of it is in this rank's rows.
func run(r *pebble.Rank) (heat float64, err error) {
	// Each rank owns its rows and, around them, one row of each neighbour: what these have put there.
	const part = (rows + 2) * width
	ranks := uint64(r.Size())
	m := memory.NewArray[float64](memory.New(r), "heat", distribution.Block(part*ranks, r.Size()))
	own, next := m.Local(), make([]float64, part)
	if r.ID() == 0 {
		own[width+width/2] = 1
	}
	for range steps {
		// The end of the epoch is a fence: after it, each rank has its neighbours' rows.
		if err := r.Epoch(func() error {
			id := uint64(r.ID())
			if id > 0 {
				m.PutRange(id*part-width, own[width:2*width])
			}
			if id+1 < ranks {
				m.PutRange((id+1)*part, own[rows*width:(rows+1)*width])
			}
			return nil
		}); err != nil {
			return 0, err
		}
		for i := width; i < part-width; i++ {
			next[i] = own[i]/2 + (own[i-width]+own[i+width])/4
		}
		if r.ID() == 0 { // the edges give nothing away
			for i := width; i < 2*width; i++ {
				next[i] += own[i] / 4
			}
		}
		if err := r.Barrier(); err != nil { // before a neighbour's next row comes
			return 0, err
		}
		copy(own[width:part-width], next[width:part-width])
	}
	for _, v := range own[width : part-width] {
		heat += v
	}
	return heat, nil
}
