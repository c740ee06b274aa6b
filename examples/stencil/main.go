package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
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

// run spreads heat from the first row, and returns the heat in this rank's rows.
func run(r *pebble.Rank) (heat float64, err error) {
	s := pages.New(memory.New(r), pages.Config{})
	n := uint64(r.Size()) * rows
	var grid [2]*pages.Slice[float64] // alternately source and destination
	for i, name := range []string{"even", "odd"} {
		grid[i] = pages.NewSlice[float64](s, name, distribution.Block(n*width, r.Size()))
	}
	first := uint64(r.ID()) * rows
	if r.ID() == 0 {
		grid[0].Write(0, width)[width/2] = 1
	}
	for step := range steps {
		if err := s.Barrier(); err != nil { // makes all writes visible, and ends spans
			return 0, err
		}
		from, to := grid[step%2], grid[1-step%2].Write(first*width, (first+rows)*width)
		for i := range uint64(rows) {
			row := func(i uint64) []float64 { return from.Read(i*width, (i+1)*width) }
			at := first + i
			above, own, below := row(max(at, 1)-1), row(at), row(min(at+1, n-1))
			for j := range own {
				to[i*width+uint64(j)] = own[j]/2 + (above[j]+below[j])/4
			}
		}
	}
	for _, v := range grid[steps%2].Read(first*width, (first+rows)*width) {
		heat += v
	}
	return heat, nil
}
