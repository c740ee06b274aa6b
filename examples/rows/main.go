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

// run spreads heat from the first row down the matrix, and returns the heat in this rank's rows.
func run(r *pebble.Rank) (heat float64, err error) {
	tiles := distribution.Rows(uint64(r.Size())*rows, width, r.Size())
	m := memory.NewGrid[float64](memory.New(r), "heat", tiles, memory.Border{Width: 1})
	next := make([][width]float64, m.Rows())
	if r.ID() == 0 {
		m.Row(0)[1+width/2] = 1
	}
	for range steps {
		// Then each rank has a row of each neighbour around its own.
		if err := m.Exchange(); err != nil {
			return 0, err
		}
		if r.ID() == 0 { // no heat leaves the first row upwards
			copy(m.Row(-1), m.Row(0))
		}
		for i := range next {
			above, own, below := m.Row(i - 1)[1:], m.Row(i)[1:], m.Row(i + 1)[1:]
			for j := range next[i] {
				next[i][j] = own[j]/2 + (above[j]+below[j])/4
			}
		}
		for i := range next {
			copy(m.Row(i)[1:], next[i][:])
		}
	}
	for i := range next {
		for _, v := range next[i] {
			heat += v
		}
	}
	return heat, nil
}
