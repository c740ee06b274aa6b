package main

import (
	"context"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/lab"
)

func main() { program.Main() }

var program = lab.Program{Name: "agree", Flags: "pebbles repeats small page", Repeats: 5, Run: agree}

// agree works through all rounds, and publishes the table.
func agree(ctx context.Context, s *lab.Session) error {
	folder, err := os.MkdirTemp("", "agree-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	p := prober{s, folder}
	cells := cellsOf(s.Small)
	for round := range s.Repeats {
		if err := p.round(ctx, cells); err != nil {
			return err
		}
		fmt.Fprintf(s.Stderr, "round %d of %d\n", round+1, s.Repeats)
	}
	return s.Publish("agree", markdown(cells, s.Repeats))
}
