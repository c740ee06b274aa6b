package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/reduction"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/tune"
)

// tuning is the command pebbles tune. It finds settings by running an application repeatedly, or a user's program that
// takes its flags from pebble.Flags and prints its report.
type tuning struct {
	Terminal
	runs       int
	limit      time.Duration
	out        string
	parameters string
	json       bool
	quiet      bool

	own     bool     // a user's program
	command []string // rerun for each measurement
	of      tune.For
	start   tune.Setting    // of the first run
	open    map[string]bool // settings without a given flag, by the names of their flags
}

// settled are the settings that tune varies, by the names of their flags.
var settled = []string{"topology", "coalesce", "cache"}

// tunable maps each application to whether it has a reduction, which makes caches worth a test.
var tunable = map[string]bool{
	"randomaccess": true, "permutation": false, "pointerchase": false, "bfs": true, "sssp": true, "centrality": false,
	"pagerank": false, "components": false, "communities": false, "triangles": false, "jaccard": false, "kcore": false,
	"words": false, "kmers": false,
	"alltoall": false, "reduce": true, "epochs": false,
	"uts": false, "ping": false, "contagion": true, "nbody": false, "sort": false, "join": false,
	"group": false,
}

// IsApplication reports whether a word is the name of an application for tuning and calibration.
func IsApplication(name string) bool {
	_, is := tunable[name]
	return is
}

func tunables() []string { return slices.Sorted(maps.Keys(tunable)) }

func newTune(t Terminal) *cobra.Command {
	u := &tuning{Terminal: t, runs: 64}
	c := &cobra.Command{
		Use:   "tune APP [FLAGS] | -- PROGRAM [ARGS]",
		Short: "Find the fastest topology, coalescing factor and cache of an application",
		Long: "tune runs an application again and again, and changes one thing at a time: first to the fastest\n" +
			"setting by pebbles-lab model, once pebbles-lab fit has measured this machine, then the coalescing\n" +
			"factor, the cache and the topology. Runs with the best setting so far alternate with those of the\n" +
			"setting under test. A last check against the default setting of the application shows whether the\n" +
			"best is faster; it is kept only if it wins nearly all of ten or more pairs of runs. Given flags of\n" +
			"the application are kept, --topology, --coalesce and --cache too. Every run is verified.\n" +
			"The profile that it writes is for runs of the same application with --profile. A program of your\n" +
			"own is tuned in the same way if its flags are those of pebble.Flags and it prints the report of\n" +
			"pebble.Measure; tune says which flags to run it with.",
		Example: "  pebbles tune randomaccess --ranks 4 --log2-words 18\n" +
			"  pebbles tune --runs 40 --out profile.json alltoall --ranks 8 --topology direct\n" +
			"  pebbles tune --parameters odin --json permutation --procs 2\n" +
			"  pebbles tune --runs 40 -- ./program -ranks 4",
		Args: func(c *cobra.Command, args []string) error {
			u.own = c.ArgsLenAtDash() == 0 && len(args) > 0
			if !u.own && (len(args) == 0 || !slices.Contains(tunables(), args[0])) {
				return fmt.Errorf("cannot tune %q: use one of %s", strings.Join(args, " "),
					strings.Join(tunables(), ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return u.run(c, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return u.complete(args, begun)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.SetInterspersed(false) // words after the application's name belong to the application
	f.Var(Count(&u.runs, 1, ""), "runs", fmt.Sprintf("maximum number of runs; fewer than %d can't show a gain", runsLeast))
	f.DurationVar(&u.limit, "limit", 2*time.Minute, "time limit of one run")
	f.StringVar(&u.out, "out", "", "write the profile to this `file` (default pebbles/profile-APP.json in the user's "+
		"configuration folder)")
	f.StringVar(&u.parameters, "parameters", "", ParametersUsage())
	Completes(c, "parameters", cobra.ShellCompDirectiveDefault, model.Names()...)
	f.BoolVar(&u.json, "json", false, "print the profile instead of a table")
	f.BoolVarP(&u.quiet, "quiet", "q", false, "show no progress")
	return c
}

// run parses the tuned command line, and tunes.
func (u *tuning) run(c *cobra.Command, line []string) error {
	switch {
	case u.limit <= 0:
		return errors.New("--limit must be a positive time such as 30s")
	case launch.Started(false):
		return errors.New("tune starts its jobs itself: run it without a launcher")
	case !u.own:
		if app, job, err := u.parse(line); err != nil {
			return err
		} else if job == nil { // the application was asked for help, so it has no job
			return u.help(c, app)
		} else if u.Begin != nil {
			return u.Begin(job)
		}
	case u.Begin != nil:
		return u.Begin(nil)
	default:
		u.command = line
	}
	return Failed(u.tune())
}

// parse parses an application's command line with the application's own command.
func (u *tuning) parse(line []string) (app *cobra.Command, of *Job, err error) {
	root := New(Pebbles(), Terminal{Args: line, Stdout: io.Discard, Stderr: io.Discard, Begin: func(j *Job) error {
		of = j
		return nil
	}})
	if app, err = root.ExecuteC(); err != nil || of == nil {
		if err != nil {
			err = fmt.Errorf("%s: %w", line[0], err)
		}
		return app, nil, err
	}
	switch s := of.settings; {
	case s.Explain || s.profile != "":
		return nil, nil, fmt.Errorf("%s: leave out --explain and --profile", line[0])
	case s.autos() != autos{}:
		return nil, nil, fmt.Errorf("%s: leave out %s: tune chooses its settings", line[0], auto)
	case s.spread.OnHosts():
		return nil, nil, fmt.Errorf("%s: leave out --hosts: a profile is for the machine that it is made on", line[0])
	default:
		self, err := ThisProgram()
		if err != nil {
			return nil, nil, err
		}
		u.command = append([]string{self}, line...)
		u.of = profiled(app, s)
		u.start = tune.Setting{Topology: s.text("topology"), Coalesce: s.number("coalesce"), Cache: s.number("cache")}
		u.open = map[string]bool{}
		for _, name := range settled {
			u.open[name] = !app.Flags().Changed(name) && (name != "cache" || tunable[line[0]])
		}
		if line[0] == "reduce" && u.open["cache"] {
			u.start.Cache = reduction.CacheDefault
		}
	}
	return app, of, nil
}

// help prints the help of tune, and the flags that define the application's work.
func (u *tuning) help(c, app *cobra.Command) error {
	if err := c.Help(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(u.Stdout, "\nFlags of %s:\n%s", app.Name(), app.LocalFlags().FlagUsages())
	return Written(err)
}

// tune runs the command until no setting is left to try, and writes the profile.
func (u *tuning) tune() error {
	if err := u.place(); err != nil {
		return err
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	first, err := u.measure(ctx)
	if err == nil && u.own {
		err = u.learn(first.Answer)
	}
	switch {
	case err != nil && u.own:
		return ofProgram(err)
	case err != nil:
		return err
	}
	predict, err := u.predict(first.Counters())
	if err != nil {
		return err
	}
	site := tune.Site{Ranks: u.of.Ranks, Start: u.start, Topology: u.open["topology"], Coalesce: u.open["coalesce"],
		Cache: u.open["cache"], PebbleBytes: 8, Room: 1 << 40}
	t, err := tune.New(tune.Config{Start: u.start, Space: site.Space(), Predict: predict, Runs: u.runs})
	if err != nil {
		return err
	}
	t.Observe(tune.Window{Work: 1, Seconds: first.seconds})
	for n := 1; n < u.runs && !t.Settled(); n++ {
		one, err := u.measure(ctx, u.flags(t.Next())...)
		if err != nil {
			return err
		}
		t.Observe(tune.Window{Work: 1, Seconds: one.seconds})
		if !u.quiet {
			fmt.Fprintf(u.Stderr, "%d/%d runs, %s\n", n+1, u.runs, t.Setting())
		}
	}
	p := t.Profile(u.of, time.Now().UTC().Truncate(time.Second))
	text, err := p.Encode()
	if err == nil && u.out != "" {
		err = machine.WriteFile(u.out, text)
	}
	if err != nil {
		return err
	}
	return u.print(p, text)
}

// place sets the file of the profile, which must be writable. A user's program has none by default: flags are printed.
func (u *tuning) place() (err error) {
	switch {
	case u.out == "" && u.own:
		return nil
	case u.out == "":
		if u.out, err = profilePlace(u.command[1]); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(u.out), 0o755); err != nil {
			return err
		}
	}
	return machine.Writable(u.out)
}

// measured is the result of a run.
type measured struct {
	machine.Answer
	seconds float64
}

// measure runs the command once with further flags.
func (u *tuning) measure(ctx context.Context, flags ...string) (m measured, err error) {
	args := slices.Concat(u.command, []string{"--json"}, flags)
	if !u.own {
		args = append(args, "--quiet")
	}
	out, err := machine.Run(ctx, u.limit, nil, args...)
	if err == nil {
		m.Answer, err = machine.Parse(out.Text)
	}
	if err == nil {
		err = m.Verified()
	}
	if err == nil {
		m.seconds, err = m.Number("seconds")
	}
	switch {
	case err != nil && context.Cause(ctx) != nil:
		return m, context.Cause(ctx)
	case err != nil:
		return m, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return m, nil
}

// ofProgram explains an error of the first run of a user's program.
func ofProgram(err error) error {
	return fmt.Errorf("run the program, which must take its flags from pebble.Flags and print what pebble.Measure "+
		"reports: %w", err)
}

// learn reads the tunable settings from a program's report.
func (u *tuning) learn(report machine.Answer) error {
	said, err := report.Exact(append(settled, "ranks", "procs", "transport", "settles"))
	if err != nil {
		return err
	}
	u.of = tune.For{App: strings.Join(u.command, " "), Transport: said["transport"], Machine: machine.This().String()}
	u.start.Topology = said["topology"]
	for name, n := range map[string]*int{"ranks": &u.of.Ranks, "procs": &u.of.Processes, "coalesce": &u.start.Coalesce,
		"cache": &u.start.Cache} {
		if *n, err = strconv.Atoi(said[name]); err != nil {
			return fmt.Errorf("%s: field %q of the report is %q, not a number", u.command[0], name, said[name])
		}
	}
	u.open = map[string]bool{}
	for _, name := range settled {
		given := slices.ContainsFunc(u.command[1:], func(arg string) bool {
			flag, _, _ := strings.Cut(arg, "=")
			return flag == "-"+name || flag == "--"+name
		})
		u.open[name] = strings.Contains(said["settles"], name) && !given
	}
	return nil
}

// flags returns the flags of a setting, except those given by the user.
func (u *tuning) flags(s tune.Setting) (flags []string) {
	dash := "--"
	if u.own {
		dash = "-"
	}
	for i, value := range []any{s.Topology, s.Coalesce, s.Cache} {
		if u.open[settled[i]] {
			flags = append(flags, fmt.Sprintf("%s%s=%v", dash, settled[i], value))
		}
	}
	return flags
}

// predict returns the model's predictions for the work that the first run counted, or nil if this machine has no
// parameters and no flag names any.
func (u *tuning) predict(counters map[string]json.Number) (func(tune.Setting) float64, error) {
	counter := func(name string) float64 {
		n, _ := counters[name].Float64()
		return n
	}
	p, _, err := ParametersOf(u.parameters)
	sent, epochs := counter("pebbles_sent"), max(1, counter("epochs"))
	switch {
	case err != nil && u.parameters != "":
		return nil, err
	case err != nil || sent == 0:
		return nil, nil
	}
	if u.of.Transport == connect.ByTCP {
		p = p.Over(model.Network)
	}
	return tune.Predictor(p, model.Job{
		Ranks: u.of.Ranks, Layout: model.Layout{PerProcess: (u.of.Ranks + u.of.Processes - 1) / u.of.Processes},
		Pebbles: sent / float64(u.of.Ranks) / epochs, Epochs: int(epochs),
		Bytes: max(1, int(counter("bytes_sent")/(sent+counter("forwarded")))),
	}), nil
}

func (u *tuning) print(p tune.Profile, text []byte) error {
	if u.json {
		_, err := u.Stdout.Write(text)
		return Written(err)
	}
	w := tabwriter.NewWriter(u.Stdout, 0, 0, 2, ' ', 0)
	for _, d := range p.Decisions {
		fmt.Fprintf(w, "%d\t%s\t%s\n", d.Window, d.Phase, d.Reason)
	}
	fmt.Fprintf(w, "chosen\t%s: %s\n", p.Setting, u.why(p))
	if u.own {
		fmt.Fprintf(w, "run it as\t%s\n", strings.Join(slices.Concat(u.command, u.flags(p.Setting)), " "))
	}
	if u.out != "" {
		fmt.Fprintf(w, "profile\t%s\n", u.out)
	}
	return Written(w.Flush())
}

// runsLeast is the least number of runs that can show one other setting to be faster.
const runsLeast = tune.CheckRuns + 3

// why returns the reasons for a profile's setting.
func (u *tuning) why(p tune.Profile) string {
	n := len(p.Decisions)
	switch {
	case p.Setting != p.Start:
		return fmt.Sprintf("%.2f times as fast as %s", p.Gain, p.Start)
	case u.runs < runsLeast || n > 0 && p.Decisions[n-1].Kept: // without a following check
		return fmt.Sprintf("runs were too few to show that another setting is faster; give --runs %d or more",
			max(runsLeast, u.runs+1))
	case n == 0:
		return "nothing else was tried"
	}
	return fmt.Sprintf("none of %s was faster", Counted(uint64(n), "other setting", "other settings"))
}
