package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/limits"
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
		Long: "bench runs the applications over transports, ranks and sizes, in turn with programs that only do what " +
			"limits them:\n" +
			"updates without messages, copies, a bare ring and a bare TCP connection. It verifies every run, and " +
			"tells medians,\n" +
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
	f.Var(count(&b.repeats, 1, ""), "repeats", "runs of each row that count")
	f.Var(count(&b.warmUp, 0, "0"), "warm-up", "runs of each row before them")
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
	self, err := thisProgram()
	if err != nil {
		return failed(err)
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
	return failed(b.measure(some))
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
		Command: strings.Join(append([]string{"pebbles"}, b.args...), " "),
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

func newBenchCompare(t terminal) *cobra.Command {
	threshold := percent(0.05)
	ratios := false
	c := &cobra.Command{
		Use:   "compare OLD.json NEW.json",
		Short: "Tell what got faster or slower between two results",
		Long: "compare holds new results of pebbles bench against old ones. A row is slower when its speed is less " +
			"by more than the\n" +
			"threshold, and a U-test finds it significant. Checksums and counters that don't depend on timing must " +
			"be the same. The\n" +
			"exit status is 1 when a row is slower, has changed, is missing, or has too few samples to tell.",
		Example: "  pebbles bench compare old.json new.json\n" +
			"  pebbles bench compare --ratios --threshold 30% lab/results/baseline.json new.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%d files: give two, the old results and the new ones", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if t.begin != nil {
				return t.begin(nil)
			}
			o := lab.CompareOptions{Threshold: float64(threshold), Ratios: ratios}
			return failed(compare(t, args[0], args[1], o))
		},
	}
	c.Flags().Var(&threshold, "threshold", "least change of speed that counts")
	c.Flags().BoolVar(&ratios, "ratios", false, "compare ratios to what rows are held against: for results of other "+
		"machines")
	return c
}

func compare(t terminal, before, after string, o lab.CompareOptions) error {
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
	if err := c.Table(t.stdout); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return c.Err()
}

// percent is a flag whose value is a part of a whole: 5%, or 5.
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

// newLimit has the commands that measure upper bounds for pebbles bench. They are not applications, so help hides them.
func newLimit(t terminal) *cobra.Command {
	return group(&cobra.Command{
		Use:     "limit",
		Short:   "Measure what this machine can do at most",
		Long:    "limit measures what no application can exceed on this machine. pebbles bench calls it.",
		Example: "  pebbles limit updates --json",
		Hidden:  true,
	}, newLimitUpdates(t), newLimitPermutation(t), newLimitCopy(t), newLimitSwitch(t),
		newLimitPair(t, "tcp", "Move messages between two processes over a bare TCP connection", limits.TCP,
			limits.AnswerTCP),
		newLimitPair(t, "ring", "Move messages between two processes through a bare ring in shared memory", limits.Ring,
			func(p limits.Pair, _ string) error { return limits.AnswerRing(p) }))
}

// limitCommand completes a command that prints a report.
func limitCommand(t terminal, c *cobra.Command, measure func() (limits.Report, error)) *cobra.Command {
	inJSON := c.Flags().Bool("json", false, "print one JSON object instead of a table")
	c.Args = noArguments
	c.RunE = func(*cobra.Command, []string) error {
		if t.begin != nil {
			return t.begin(nil)
		}
		r, err := measure()
		if err != nil {
			return failed(err)
		}
		if err := written(printLimit(t, r, *inJSON)); err != nil {
			return err
		}
		if r.Errors > 0 {
			return &failure{launch.ExitError, fmt.Errorf("%d words were wrong", r.Errors)}
		}
		return nil
	}
	return c
}

func printLimit(t terminal, r limits.Report, inJSON bool) error {
	if inJSON {
		return json.NewEncoder(t.stdout).Encode(r)
	}
	w := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\n", r.App, secondsText(r.Seconds))
	if r.UpdatesPerSecond > 0 {
		fmt.Fprintf(w, "updates per second\t%.4g million\n", r.UpdatesPerSecond/1e6)
	}
	if r.ElementsPerSecond > 0 {
		fmt.Fprintf(w, "elements per second\t%.4g million\n", r.ElementsPerSecond/1e6)
	}
	if r.BytesPerSecond > 0 {
		fmt.Fprintf(w, "bytes per second\t%.4g billion\n", r.BytesPerSecond/1e9)
	}
	if r.SecondsPerHop > 0 {
		fmt.Fprintf(w, "time of a hop\t%.4g µs\n", r.SecondsPerHop*1e6)
	}
	return w.Flush()
}

func newLimitUpdates(t terminal) *cobra.Command {
	u := limits.Updates{Log2Words: 20, Tables: 2, PerWord: 4}
	c := &cobra.Command{
		Use: "updates", Short: "Update random words of tables without messages",
		Example: "  pebbles limit updates --json",
	}
	c.Flags().Var(count(&u.Log2Words, 1, ""), "log2-words", "binary logarithm of the words of each table")
	c.Flags().Var(count(&u.Tables, 1, ""), "ranks", "tables, and goroutines")
	c.Flags().Var(count(&u.PerWord, 1, ""), "updates-per-word", "updates of a word in the mean")
	c.Flags().BoolVar(&u.Huge, "huge", false, "ask the system for huge pages")
	return limitCommand(t, c, func() (limits.Report, error) { return u.Run() })
}

func newLimitPermutation(t terminal) *cobra.Command {
	p := limits.Permutation{Log2Elements: 20, Shares: 2, Seed: 1}
	c := &cobra.Command{
		Use: "permutation", Short: "Permute arrays that all goroutines share, without messages",
		Example: "  pebbles limit permutation --json",
	}
	c.Flags().Var(count(&p.Log2Elements, 1, ""), "log2-elements",
		"binary logarithm of the elements of each share, 24 bytes each")
	c.Flags().Var(count(&p.Shares, 1, ""), "ranks", "shares, and goroutines")
	c.Flags().Uint64Var(&p.Seed, "seed", p.Seed, "seed of the permutations")
	c.Flags().BoolVar(&p.Huge, "huge", false, "ask the system for huge pages")
	return limitCommand(t, c, func() (limits.Report, error) { return p.Run() })
}

func newLimitCopy(t terminal) *cobra.Command {
	p := limits.Copies{Bytes: 32 << 20, Pieces: 2, Rounds: 8}
	c := &cobra.Command{Use: "copy", Short: "Copy memory", Example: "  pebbles limit copy --json"}
	c.Flags().Var(count(&p.Bytes, 8, ""), "bytes", "bytes of each piece")
	c.Flags().Var(count(&p.Pieces, 1, ""), "ranks", "pieces, and goroutines")
	c.Flags().Var(count(&p.Rounds, 1, ""), "rounds", "copies of each piece")
	return limitCommand(t, c, func() (limits.Report, error) { return p.Run() })
}

func newLimitSwitch(t terminal) *cobra.Command {
	s := limits.Switches{Rounds: 1 << 18}
	c := &cobra.Command{Use: "switch", Short: "Hand over between two goroutines",
		Example: "  pebbles limit switch --json"}
	c.Flags().Var(count(&s.Rounds, 1, ""), "rounds", "times there and back")
	return limitCommand(t, c, func() (limits.Report, error) { return s.Run() })
}

// newLimitPair makes a command that starts itself again as the second of two processes.
func newLimitPair(t terminal, name, short string, first func(limits.Pair) (limits.Report, error),
	second func(limits.Pair, string) error) *cobra.Command {
	p := limits.Pair{Messages: 1 << 14, Bytes: 1 << 16}
	answers := false
	c := &cobra.Command{Use: name, Short: short, Example: "  pebbles limit " + name + " --json"}
	c.Flags().Var(count(&p.Messages, 1, ""), "messages", "messages of a stream, or rounds of a ping-pong")
	c.Flags().Var(count(&p.Bytes, 8, ""), "bytes", "bytes of a message")
	c.Flags().BoolVar(&p.PingPong, "ping-pong", false, "send one message there and back, instead of a stream")
	c.Flags().BoolVar(&answers, "answer", false, "be the second process")
	limitCommand(t, c, func() (limits.Report, error) {
		self, err := thisProgram()
		if err != nil {
			return limits.Report{}, err
		}
		p.Second = append(append([]string{self}, t.args...), "--answer")
		return first(p)
	})
	measure := c.RunE
	c.Args = func(c *cobra.Command, args []string) error {
		if answers {
			return cobra.MaximumNArgs(1)(c, args)
		}
		return noArguments(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if !answers {
			return measure(c, args)
		}
		address := ""
		if len(args) > 0 {
			address = args[0]
		}
		return failed(second(p, address))
	}
	return c
}
