package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

func main() {
	n := flag.Int("n", 10, "how many words to print")
	flag.Parse()
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		counts, err := run(r, flag.Args())
		if err != nil {
			return err
		}
		return show(r, os.Stdout, counts, *n)
	})
}

// run counts the words of files, separated by white space.
func run(r *pebble.Rank, files []string) (*container.Counter[string], error) {
	counts := container.NewCounter[string](r, "counts")
	lines, err := ingest.Open(r, files, ingest.Lines())
	if err != nil {
		return nil, err
	}
	err = r.Epoch(func() error {
		for line := range lines.All() {
			container.AddWords(counts, bytes.Fields(line))
		}
		return lines.Err()
	})
	return counts, err
}

// show prints the n most frequent words, on rank 0.
func show(r *pebble.Rank, w io.Writer, counts *container.Counter[string], n int) error {
	top, err := counts.Top(n)
	if r.ID() == 0 {
		for _, e := range top {
			fmt.Fprintf(w, "%8d %s\n", e.Value, e.Key)
		}
	}
	return err
}
