package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/pebble"
)

func main() {
	ranks := flag.Int("ranks", 0, "ranks of a program that runs alone; 0 is one for each core")
	flag.Parse()
	pebble.Main(pebble.Config{Ranks: *ranks}, func(r *pebble.Rank) error {
		return run(r, os.Stdout, flag.Args())
	})
}

// run is the function of every rank. Rank 0 prints.
func run(r *pebble.Rank, out io.Writer, files []string) error {
	counts, err := countWords(r, files)
	if err != nil {
		return err
	}
	different, err := pebble.AllReduce(r, len(counts), pebble.Sum)
	if err != nil {
		return err
	}
	top, err := gatherTop(r, counts)
	if err != nil || r.ID() != 0 {
		return err
	}
	for _, c := range top {
		fmt.Fprintf(out, "%8d  %s\n", c.N, c.Word)
	}
	_, err = fmt.Fprintf(out, "%8d  different words\n", different)
	return err
}
