package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() { lab.Program("compare", command) }

// options are what can be told.
type options struct {
	programs   string
	hpccSource string
	ranks      int
	repeats    int
	small      bool
	only       string
	out, page  string
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "hpcc" {
		return hpccCommand(ctx, args[1:], stdout, stderr)
	}
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.programs, "programs", "built", "folder of the programs, as make -C lab programs builds them")
	flags.StringVar(&o.hpccSource, "hpcc-source", "debian", "debian, or none: leave out what is built from HPCC's source")
	flags.IntVar(&o.ranks, "ranks", 2, "processes of each program")
	flags.IntVar(&o.repeats, "repeats", 5, "runs of each case that count")
	flags.BoolVar(&o.small, "small", false, "run each case once, tiny, to see that all work")
	flags.StringVar(&o.only, "only", "", "measure the cases whose group or name matches this regular expression")
	flags.StringVar(&o.out, "out", "", "write the results to this file, as JSON")
	flags.StringVar(&o.page, "page", "", "put tables and plots into this page")
	if err := flags.Parse(args); err != nil {
		return lab.UsageError{Err: err}
	}
	if err := o.check(flags.Args()); err != nil {
		return lab.UsageError{Err: err}
	}
	return o.compare(ctx, stdout, stderr)
}

// check tells what can't be done. A page of which some rows are of another run than others would not be what it says.
func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q: no such argument", rest[0])
	case o.hpccSource != "debian" && o.hpccSource != "none":
		return fmt.Errorf("-hpcc-source %s: give debian or none", o.hpccSource)
	case o.repeats < 1:
		return fmt.Errorf("-repeats %d: give 1 or more", o.repeats)
	case o.page != "" && (o.only != "" || o.small):
		return errors.New("-page: a page holds one run of all cases in full: leave out -only and -small")
	}
	return nil
}

func (o options) compare(ctx context.Context, stdout, stderr io.Writer) error {
	m, err := newMPI(o.ranks)
	if err != nil {
		return err
	}
	defer m.close()
	if err := o.quiet(stderr); err != nil {
		return err
	}
	groups, err := o.groups(ctx, m, stderr)
	if err != nil {
		return err
	}
	how := lab.Options{Repeats: o.repeats, WarmUp: 1, Command: o.line(), Told: func(s lab.Step) {
		fmt.Fprintf(stderr, "%d of %d: %s: %.4g %s (%s)\n", s.Done, s.Total, s.Case.Name, s.Sample.Value, s.Case.Unit, s.Sample.State)
	}}
	if o.small {
		how.Repeats, how.WarmUp = 1, 0
	}
	results, err := lab.Alternate(ctx, groups, how)
	if err != nil {
		return err
	}
	if err := agree(results); err != nil {
		return err
	}
	if err := results.Table(stdout); err != nil {
		return err
	}
	return o.keep(results)
}

// quiet sees to it that a page is of a machine that does nothing else, and warns of another.
func (o options) quiet(stderr io.Writer) error {
	if o.small {
		return nil
	}
	others := busy()
	if others > 0 && o.page != "" {
		return fmt.Errorf("-page: the machine is busy: %d threads of others want a core, which hurts MPI's processes more than "+
			"ours: end them, or measure without a page", others)
	}
	if others > 0 {
		fmt.Fprintf(stderr, "WARNING: %d threads of others want a core: this comparison flatters us\n", others)
	}
	return nil
}

// line is the command that measures this again.
func (o options) line() string {
	line := fmt.Sprintf("make -C lab compare REPEATS=%d", o.repeats)
	if o.only != "" {
		line += fmt.Sprintf(" ONLY='%s'", o.only)
	}
	if o.hpccSource == "none" {
		line += " HPCC_SOURCE=none"
	}
	return line
}

// groups finds out what can be measured, and says what can't.
func (o options) groups(ctx context.Context, m mpi, stderr io.Writer) ([]lab.Group, error) {
	folder, err := filepath.Abs(o.programs)
	if err != nil {
		return nil, err
	}
	s := suite{programs: folder, mpi: m, size: full, sources: o.hpccSource != "none"}
	if o.small {
		s.size = tiny
	}
	if s.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if err := s.there(); err != nil {
		return nil, err
	}
	if s.shm, err = offersShm(ctx, s.program("pebbles")); err != nil {
		return nil, err
	}
	if !s.shm {
		fmt.Fprintln(stderr, "LEFT OUT: Active Pebbles over shared memory: this command has no --transport shm")
	}
	if !s.sources {
		fmt.Fprintln(stderr, "LEFT OUT: HPCC's opt2 and nopt, as -hpcc-source none says")
	}
	if s.roots, err = drawRoots(ctx, s.program("pebbles"), s.size); err != nil {
		return nil, err
	}
	return lab.Matching(s.groups(), o.only)
}

// there looks whether the programs have been built.
func (s suite) there() error {
	names := strings.Fields("pebbles peer-randomaccess peer-permutation peer-pointerchase peer-bfs peer-alltoall peer-pingpong")
	if s.sources {
		names = append(names, "hpcc-opt2", "hpcc-nopt")
	}
	for _, name := range names {
		if _, err := os.Stat(s.program(name)); err != nil {
			return fmt.Errorf("%w: run `make -C lab programs`", err)
		}
	}
	return nil
}

// keep writes the results where they are wanted.
func (o options) keep(results lab.Results) error {
	if o.out != "" {
		if err := results.Write(o.out); err != nil {
			return err
		}
	}
	if o.page == "" {
		return nil
	}
	pictures, err := draw(o.page, results)
	if err != nil {
		return err
	}
	const head = "# Beside peers\n\nWhat the peers are, and how to run them: [peers](peers.md).\n\n"
	return lab.WriteSection(o.page, "peers", head+results.Markdown(pictures))
}

// draw writes the plots into a folder beside the page, and returns their names as the page needs them.
func draw(page string, results lab.Results) (map[string][]string, error) {
	beside := filepath.Dir(page)
	pictures, err := plots.Write(filepath.Join(beside, "plots", "peers"), results)
	if err != nil {
		return nil, err
	}
	for _, files := range pictures {
		for i, file := range files {
			if file, err = filepath.Rel(beside, file); err != nil {
				return nil, err
			}
			files[i] = filepath.ToSlash(file)
		}
	}
	return pictures, nil
}
