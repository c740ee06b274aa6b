package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

func main() { lab.Program("agree", command) }

// options are what can be told.
type options struct {
	program string
	rounds  int
	small   bool
	page    string
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("agree", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.program, "program", "built/pebbles", "the command pebbles")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds, each of which measures and simulates everything once")
	flags.BoolVar(&o.small, "small", false, "tiny runs, to see that all work: the figures mean nothing")
	flags.StringVar(&o.page, "page", "", "put the table into this page")
	if err := flags.Parse(args); err != nil {
		return lab.UsageError{Err: err}
	}
	if err := o.check(flags.Args()); err != nil {
		return lab.UsageError{Err: err}
	}
	return o.agree(ctx, stdout, stderr)
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q: no such argument", rest[0])
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: give 1 or more", o.rounds)
	case o.page != "" && o.small:
		return errors.New("-page: tiny runs have no place on a page: leave out -small")
	}
	return nil
}

// agree works through all rounds, prints the table and puts it into the page.
func (o options) agree(ctx context.Context, stdout, stderr io.Writer) error {
	if err := lab.Writable(o.page); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "agree-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	p := prober{program: o.program, folder: folder, small: o.small}
	cells := cellsOf(o.small)
	for round := range o.rounds {
		if err := p.round(ctx, cells); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "round %d of %d\n", round+1, o.rounds)
	}
	if err := table(stdout, cells); err != nil {
		return err
	}
	if o.page == "" {
		return nil
	}
	return lab.WriteSection(o.page, "agree", o.markdown(cells))
}

func (o options) line() string {
	return strings.TrimSpace(fmt.Sprintf("make -C lab agree ROUNDS=%d", o.rounds))
}
