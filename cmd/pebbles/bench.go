package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
	"github.com/activepebbles/pebbles/lab/suite"
)

// bench are the flags of the command.
type bench struct {
	terminal
	repeats int
	warmUp  int
	limit   time.Duration
	quick   bool
	list    bool
	quiet   bool
	results string // file
	plot    string // folder
	page    string // file
}

func newBench(t terminal) *cobra.Command {
	b := &bench{terminal: t, repeats: 7, warmUp: 1}
	c := &cobra.Command{
		Use:   "bench [REGEX]",
		Short: "Measure the applications beside what this machine can do at most",
		Long: "bench runs the applications over transports, ranks and sizes, in turn with programs that only do what limits them:\n" +
			"updates without messages, copies, a bare ring and a bare TCP connection. It verifies every run, and tells medians,\n" +
			"their spread, and ratios. A regular expression chooses groups or rows by name, in upper or lower case.",
		Example: "  pebbles bench --list\n" +
			"  pebbles bench --quick Latency\n" +
			"  pebbles bench --repeats 11 --json new.json RandomAccess\n" +
			"  pebbles bench compare old.json new.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("unexpected argument %q: give one regular expression", args[1])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return b.start(strings.Join(args, "")) },
	}
	f := c.Flags()
	f.SortFlags = false
	f.Var(count{&b.repeats, 1, ""}, "repeats", "runs of each row that count")
	f.Var(count{&b.warmUp, 0, "0"}, "warm-up", "runs of each row before them")
	f.DurationVar(&b.limit, "limit", 2*time.Minute, "time that one run may take")
	f.BoolVar(&b.quick, "quick", false, "small sizes, for a first look: the figures are other ones")
	f.StringVar(&b.results, "json", "", "write the results to a file, for pebbles bench compare")
	f.StringVar(&b.plot, "plot", "", "draw the results into a folder, as SVG")
	f.StringVar(&b.page, "page", "", "put the results into a page of Markdown, between its comments")
	f.BoolVar(&b.list, "list", false, "list the rows and their commands, and measure nothing")
	f.BoolVarP(&b.quiet, "quiet", "q", false, "show no progress")
	c.AddCommand(newBenchCompare(t))
	return c
}

// start lists the rows, or measures them.
func (b *bench) start(expression string) error {
	if b.limit <= 0 {
		return errors.New("--limit must be a positive time such as 30s")
	}
	self, err := os.Executable()
	if err != nil {
		return &failure{launch.ExitError, fmt.Errorf("find this program: %w", err)}
	}
	all := suite.Groups(suite.Options{Program: self, Quick: b.quick, Transports: transports})
	some, err := lab.Matching(all, expression)
	switch {
	case err != nil:
		return err
	case b.list:
		return written(b.print(some))
	case b.begin != nil:
		return b.begin(nil)
	}
	if err := b.measure(some); err != nil {
		return benchFailure(err)
	}
	return nil
}

// benchFailure is the error of a measurement or comparison. A signal that ended it gives the exit status.
func benchFailure(err error) error {
	var s *launch.SignalError
	if errors.As(err, &s) {
		return &failure{s.Status(), err}
	}
	return &failure{launch.ExitError, err}
}

func (b *bench) print(groups []lab.Group) error {
	for _, g := range groups {
		if _, err := fmt.Fprintf(b.stdout, "%s: %s\n", g.Name, g.About); err != nil {
			return err
		}
		for _, c := range g.Cases {
			if _, err := fmt.Fprintf(b.stdout, "  %s\n      %s\n", c.Name, c.Line); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure measures, and writes the results. It checks that the files are writable first, since a run may take an hour.
func (b *bench) measure(groups []lab.Group) error {
	for _, file := range []string{b.results, b.page} {
		if err := lab.Writable(file); err != nil {
			return err
		}
	}
	if b.plot != "" {
		if err := os.MkdirAll(b.plot, 0o755); err != nil {
			return err
		}
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	results, err := lab.Alternate(ctx, groups, lab.Options{
		Repeats: b.repeats, WarmUp: b.warmUp, Limit: b.limit, Progress: b.progress, Command: strings.Join(append([]string{"pebbles"}, b.args...), " "),
	})
	if err != nil {
		return err
	}
	if err := results.Table(b.stdout); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return b.keep(results)
}

// keep writes the results to files.
func (b *bench) keep(r lab.Results) (err error) {
	if b.results != "" {
		if err := r.Write(b.results); err != nil {
			return err
		}
	}
	var pictures map[string][]string
	if b.plot != "" {
		if pictures, err = plots.ForPage(b.page, b.plot, r); err != nil {
			return err
		}
	}
	if b.page == "" {
		return nil
	}
	return lab.WriteSection(b.page, "suite", r.Markdown(pictures))
}

// progress prints one line for each run.
func (b *bench) progress(s lab.Step) {
	if b.quiet {
		return
	}
	repeat := "warm-up"
	if s.Repeat > 0 {
		repeat = fmt.Sprintf("repeat %d", s.Repeat)
	}
	fmt.Fprintf(b.stderr, "%d/%d %s, %.1f s, %s: %s: %.4g %s\n",
		s.Done, s.Total, repeat, s.Sample.Seconds, s.Sample.State, s.Case.Name, s.Sample.Value, s.Case.Unit)
}
