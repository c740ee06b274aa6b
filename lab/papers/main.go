package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() { lab.Program("papers", command) }

// options are what can be told.
type options struct {
	quick       bool
	only        string
	page, plots string
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("papers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.BoolVar(&o.quick, "quick", false, "few ranks and little work, to see that all figures can be drawn")
	flags.StringVar(&o.only, "only", "", "draw the figures whose names match this regular expression")
	flags.StringVar(&o.page, "page", "", "put tables and plots into this page")
	flags.StringVar(&o.plots, "plots", "", "draw plots into this folder, as SVG")
	if err := flags.Parse(args); err != nil {
		return lab.UsageError{Err: err}
	}
	if flags.NArg() > 0 {
		return lab.UsageError{Err: fmt.Errorf("%q: no such argument", flags.Args())}
	}
	chosen, err := o.figures()
	if err != nil {
		return lab.UsageError{Err: err}
	}
	if err := lab.Writable(o.page); err != nil {
		return err
	}
	l := &simulator{ctx: ctx, log: stderr, quick: o.quick, known: map[string]outcome{}}
	for _, f := range chosen {
		began := time.Now()
		d, err := f.draw(l)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Fprintf(stderr, "%s: %.1f s\n", f.name, time.Since(began).Seconds())
		fmt.Fprintf(stdout, "%s\n\n%s\n", f.name, d.text())
		if err := o.keep(f.name, d); err != nil {
			return err
		}
	}
	return nil
}

// figures are those that were asked for. A page of few ranks would not be what it says.
func (o options) figures() (chosen []figure, err error) {
	if o.quick && o.page != "" {
		return nil, errors.New("-page: a page holds figures in full: leave out -quick")
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	for _, f := range figures() {
		if only.MatchString(f.name) {
			chosen = append(chosen, f)
		}
	}
	if chosen == nil {
		return nil, fmt.Errorf("-only %q matches no figure", o.only)
	}
	return chosen, nil
}

// keep draws a figure's pictures and writes its section of the page.
func (o options) keep(name string, d drawing) error {
	text := d.text()
	if o.plots != "" && len(d.curves) > 0 {
		files, err := plots.Write(o.plots, lab.Results{Groups: []lab.GroupResult{d.group("papers " + name)}})
		if err != nil {
			return err
		}
		for _, file := range files["papers "+name] {
			if o.page != "" {
				if file, err = filepath.Rel(filepath.Dir(o.page), file); err != nil {
					return err
				}
			}
			text += fmt.Sprintf("\n![%s](%s)\n", name, file)
		}
	}
	if o.page == "" {
		return nil
	}
	return lab.WriteSection(o.page, name, text)
}
