package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
	"github.com/activepebbles/pebbles/lab/suite"
)

// bench is the command pebbles-lab bench.
type bench struct {
	command.Terminal
	repeats int
	warmUp  int
	limit   time.Duration
	quick   bool
	list    bool
	quiet   bool
	results string // file
	plot    string // folder
	page    string // file
	against string // another build of pebbles
}

func newBench(t command.Terminal) *cobra.Command {
	b := &bench{Terminal: t, repeats: 7, warmUp: 1}
	c := &cobra.Command{
		Use:   "bench [REGEX]",
		Short: "Measure the applications against the limits of this machine",
		Long: "bench runs the applications over transports, ranks and sizes, in turn with programs that measure " +
			"their limits:\n" +
			"updates without messages, copies, a bare ring and a bare TCP connection. It verifies every run, and " +
			"prints medians,\n" +
			"their spread, and ratios. A regular expression chooses groups or rows by name, in upper or lower case.",
		Example: "  pebbles-lab bench --list\n" +
			"  pebbles-lab bench --quick Latency\n" +
			"  pebbles-lab bench --repeats 11 --json new.json RandomAccess\n" +
			"  pebbles-lab bench --against old/pebbles --repeats 5\n" +
			"  pebbles-lab bench compare old.json new.json",
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
	f.Var(command.Count(&b.repeats, 1, ""), "repeats", "runs of each row that count")
	f.Var(command.Count(&b.warmUp, 0, "0"), "warm-up", "runs of each row before them")
	f.DurationVar(&b.limit, "limit", 2*time.Minute, "time that one run may take")
	f.BoolVar(&b.quick, "quick", false, "small sizes, for a first look; the figures differ")
	f.StringVar(&b.results, "json", "", "write the results to a file, for pebbles-lab bench compare")
	f.StringVar(&b.plot, "plot", "", "draw the results into a folder, as SVG")
	f.StringVar(&b.page, "page", "", "put the results into a page of Markdown, between its comments")
	f.StringVar(&b.against, "against", "", "another build of `pebbles`, to run each row in turn with; ratios are to its "+
		"speed")
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
	self, err := command.ThisProgram()
	if err != nil {
		return command.Failed(err)
	}
	all := suite.Groups(suite.Options{Program: self, Quick: b.quick, Transports: command.Transports})
	some, err := lab.Matching(all, expression)
	if b.against != "" {
		some = lab.Against(some, b.against)
	}
	switch {
	case err != nil:
		return err
	case b.list:
		return command.Written(b.print(some))
	case b.Begin != nil:
		return b.Begin(nil)
	}
	return command.Failed(b.measure(some))
}

func (b *bench) print(groups []lab.Group) error {
	for _, g := range groups {
		if _, err := fmt.Fprintf(b.Stdout, "%s: %s\n", g.Name, g.About); err != nil {
			return err
		}
		for _, c := range g.Cases {
			if _, err := fmt.Fprintf(b.Stdout, "  %s\n      %s\n", c.Name, c.Line); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure measures and writes the results. It first checks that the files are writable, since a run may take an hour.
func (b *bench) measure(groups []lab.Group) error {
	for _, file := range []string{b.results, b.page} {
		if err := machine.Writable(file); err != nil {
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
		Repeats: b.repeats, WarmUp: b.warmUp, Limit: b.limit, Progress: b.progress,
		Command: strings.Join(append([]string{"pebbles-lab"}, b.Args...), " "),
	})
	if err != nil {
		return err
	}
	if err := results.Table(b.Stdout); err != nil {
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
	fmt.Fprintf(b.Stderr, "%d/%d %s, %.1f s, %s: %s: %.4g %s\n",
		s.Done, s.Total, repeat, s.Sample.Seconds, s.Sample.State, s.Case.Name, s.Sample.Value, s.Case.Unit)
}

func newBenchCompare(t command.Terminal) *cobra.Command {
	threshold := percent(0.05)
	ratios := false
	c := &cobra.Command{
		Use:   "compare OLD.json NEW.json",
		Short: "Report speedups and slowdowns between two results",
		Long: "compare holds new results of pebbles-lab bench against old ones. A row is slower when its speed is less " +
			"by more than the\n" +
			"threshold, and a U-test finds it significant. Checksums and counters that don't depend on timing must " +
			"be the same. The\n" +
			"exit status is 1 when a row is slower, has changed, is missing, or has too few samples to tell.",
		Example: "  pebbles-lab bench compare old.json new.json\n" +
			"  pebbles-lab bench compare --ratios --threshold 30% lab/results/baseline.json new.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%d files: give two, the old results and the new ones", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if t.Begin != nil {
				return t.Begin(nil)
			}
			o := lab.CompareOptions{Threshold: float64(threshold), Ratios: ratios}
			return command.Failed(compare(t, args[0], args[1], o))
		},
	}
	c.Flags().Var(&threshold, "threshold", "least change of speed that counts")
	c.Flags().BoolVar(&ratios, "ratios", false, "compare ratios to the limits instead of speeds: for results of other "+
		"machines")
	return c
}

func compare(t command.Terminal, before, after string, o lab.CompareOptions) error {
	was, err := lab.Read(before)
	if err != nil {
		return err
	}
	is, err := lab.Read(after)
	if err != nil {
		return err
	}
	c, err := lab.Compare(was, is, o)
	if err != nil {
		return err
	}
	if err := c.Table(t.Stdout); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return c.Err()
}

// percent is the value of a flag for a part of a whole: 5%, or 5.
type percent float64

func (p *percent) Type() string   { return "percent" }
func (p *percent) String() string { return strconv.FormatFloat(100*float64(*p), 'g', 6, 64) + "%" }

func (p *percent) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n >= 100 {
		return fmt.Errorf("must be a percentage from 0%% to less than 100%%")
	}
	*p = percent(n / 100)
	return nil
}
