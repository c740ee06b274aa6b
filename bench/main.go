package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

func main() {
	var o options
	flag.IntVar(&o.repeats, "repeats", 7, "how often each figure is measured")
	flag.IntVar(&o.log2, "log2-words", 22, "table words a rank of RandomAccess on 2 ranks, as a power of two; others follow")
	flag.StringVar(&o.only, "only", "", "measure the rows whose group or name matches this regular expression")
	flag.BoolVar(&o.write, "write", false, "write docs/measurements.md")
	flag.Parse()
	if err := measure(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	repeats, log2 int
	only          string
	write         bool
}

// check tells what can't be measured. A page of which some rows are of another run than the others would not be what its
// head says, so that a part can't be written.
func (o options) check() error {
	switch {
	case o.repeats < 1:
		return errors.New("-repeats: measure once at least")
	case o.log2 < log2Least || o.log2 > log2Most:
		return fmt.Errorf("-log2-words: give %d to %d", log2Least, log2Most)
	case o.only != "" && o.write:
		return errors.New("-write replaces the whole page, which is measured in one run: leave out -only")
	}
	return nil
}

func measure(o options) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pebbles-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "pebbles")
	build := exec.Command("go", "build", "-o", binary, "./cmd/pebbles")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the command (run this from the repository's root): %w", err)
	}
	all, err := matching(figures(binary, o.log2), o.only)
	if err != nil {
		return err
	}
	if err := run(all, o.repeats); err != nil {
		return err
	}
	page := report(all, o)
	fmt.Print(page)
	if o.write {
		return os.WriteFile(filepath.Join("docs", "measurements.md"), []byte(page), 0o644)
	}
	return nil
}

// matching leaves the groups with the series whose group or name matches.
func matching(all []group, only string) (some []group, err error) {
	expression, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	for _, g := range all {
		part := group{name: g.name, about: g.about}
		for _, s := range g.series {
			if expression.MatchString(g.name) || expression.MatchString(s.name) {
				part.series = append(part.series, s)
			}
		}
		if part.series != nil {
			some = append(some, part)
		}
	}
	if some == nil {
		return nil, fmt.Errorf("-only: no row matches %q", only)
	}
	return some, nil
}
