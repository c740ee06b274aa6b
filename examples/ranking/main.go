package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

func main() {
	n := flag.Int("n", 10, "how many vertices to print")
	rounds := flag.Int("rounds", 20, "how often scores are passed on")
	flag.Parse()
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		vertices, err := run(r, flag.Args(), *rounds)
		if err != nil {
			return err
		}
		return show(r, os.Stdout, vertices, *n)
	})
}

const damping = 0.85

// A vertex has a score, which is 1 on average, and the sum of the shares that it receives.
type vertex struct{ Score, Sum float64 }

// run passes scores on along edges. A vertex without edges passes its score on to all.
func run(r *pebble.Rank, files []string, rounds int) (*container.Map[uint64, vertex], error) {
	heads := container.NewMultiMap[uint64, uint64](r, "heads")
	vertices := container.NewMap[uint64, vertex](r, "vertices") // with the owners of their heads
	pass := container.NewFinder(vertices, "pass", func(_ uint64, v *vertex, share float64) { v.Sum += share })
	edges, err := ingest.Open(r, files, ingest.Edges(ingest.EdgeList))
	if err != nil {
		return nil, err
	}
	if err := r.Epoch(func() error {
		for e := range edges.All() {
			heads.Add(e.From, e.To)
			vertices.Insert(e.From, vertex{Score: 1})
			vertices.Insert(e.To, vertex{Score: 1})
		}
		return edges.Err()
	}); err != nil {
		return nil, err
	}
	n, err := vertices.Len()
	for round := 0; err == nil && round < rounds; round++ {
		toAll := 0.0
		if err = vertices.ForAll(func(k uint64, v vertex) error {
			to := heads.LocalValues(k)
			for _, head := range to {
				pass.Send(head, v.Score/float64(len(to)))
			}
			if len(to) == 0 {
				toAll += v.Score
			}
			return nil
		}); err == nil {
			toAll, err = pebble.AllReduce(r, toAll, pebble.Sum)
		}
		for _, v := range vertices.LocalRefs() {
			*v = vertex{Score: 1 - damping + damping*(v.Sum+toAll/float64(n))}
		}
	}
	return vertices, err
}

// show prints the n vertices with the highest scores, on rank 0.
func show(r *pebble.Rank, w io.Writer, vertices *container.Map[uint64, vertex], n int) error {
	top, err := vertices.TopK(n, func(a, b container.Entry[uint64, vertex]) int {
		return cmp.Or(cmp.Compare(b.Value.Score, a.Value.Score), cmp.Compare(a.Key, b.Key))
	})
	if r.ID() == 0 {
		for _, e := range top {
			fmt.Fprintf(w, "%10.4f %d\n", e.Value.Score, e.Key)
		}
	}
	return err
}
