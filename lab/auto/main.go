package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/activepebbles/pebbles/lab"
)

func main() { lab.Program("auto", command) }

type options struct {
	pebbles string
	repeats int
	most    int
	runs    int
	small   bool
	only    string
	page    string
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("auto", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.pebbles, "pebbles", "built/pebbles", "the command")
	flags.IntVar(&o.repeats, "repeats", 7, "runs of the best, the defaults and auto at the least; a sweep takes 3 of each setting")
	flags.IntVar(&o.most, "most", 42, "runs of them at most: there are more until the medians are certain to 3 %")
	flags.IntVar(&o.runs, "runs", 64, "runs of pebbles tune at most")
	flags.BoolVar(&o.small, "small", false, "run everything once, tiny, to see that it works")
	flags.StringVar(&o.only, "only", "", "applications and transports that match this regular expression, as in bfs/tcp")
	flags.StringVar(&o.page, "page", "", "put the table into this page")
	if err := flags.Parse(args); err != nil {
		return lab.UsageError{Err: err}
	}
	only, err := regexp.Compile(o.only)
	switch {
	case err != nil:
		return lab.UsageError{Err: fmt.Errorf("-only: %w", err)}
	case o.repeats < 1 || o.most < 1 || o.runs < 1:
		return lab.UsageError{Err: fmt.Errorf("-repeats %d, -most %d, -runs %d: give 1 or more", o.repeats, o.most, o.runs)}
	case o.page != "" && (o.small || o.only != ""):
		return lab.UsageError{Err: errors.New("-page: a page holds all applications in full: leave out -small and -only")}
	}
	if o.small {
		o.repeats, o.most, o.runs = 1, 1, 3
	}
	if o.pebbles, err = filepath.Abs(o.pebbles); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "pebbles-auto-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	rows, err := (&measurement{options: o, ctx: ctx, stderr: stderr, scratch: scratch}).all(only)
	if err != nil {
		return err
	}
	text := section(o, rows)
	if _, err := io.WriteString(stdout, text); err != nil || o.page == "" {
		return err
	}
	return lab.WriteSection(o.page, "auto", text)
}
