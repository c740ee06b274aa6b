package main

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
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/reduction"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/race"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/tune"
)

// tuning is the command pebbles tune: it finds settings by running an application repeatedly.
type tuning struct {
	terminal
	runs       int
	limit      time.Duration
	out        string
	parameters string
	json       bool
	quiet      bool

	root *cobra.Command
	app  []string // the command line of the application
	job  *job
	own  *userProgram // in place of an application
	of   tune.For
}

// tunable are the applications, and whether they have a reduction, so that caches are worth a try.
var tunable = map[string]bool{
	"randomaccess": true, "permutation": false, "pointerchase": false, "bfs": true, "sssp": true, "centrality": false, "alltoall": false, "reduce": true, "epochs": false,
	"uts": false, "ping": false, "contagion": true, "nbody": false,
}

func tunables() []string { return slices.Sorted(maps.Keys(tunable)) }

func newTune(t terminal) *cobra.Command {
	u := &tuning{terminal: t, runs: 64}
	c := &cobra.Command{
		Use:   "tune APP [FLAGS] | -- PROGRAM [ARGS]",
		Short: "Find the topology, coalescing factor and cache that an application is fastest with",
		Long: "tune runs an application again and again, in rounds: settings all over what there is take turns, and the\n" +
			"slower half of them drops out of each round. A last duel of the winner and the setting that the application\n" +
			"has anyway shows whether it is faster; what does not win nearly all of ten pairs of runs or more is not kept.\n" +
			"Once pebbles fit has measured this machine, those that pebbles model holds to be slow take no part where runs\n" +
			"are too few for all. Flags of the application that are given are kept, --topology, --coalesce and --cache\n" +
			"too. Every run is verified.\n" +
			"The profile that it writes is for runs of the same application with --profile. A program of your own is tuned in the same way when its\n" +
			"flags are those of pebble.Flags and it prints what pebble.Measure reports; tune says which flags to run it with.",
		Example: "  pebbles tune randomaccess --ranks 4 --log2-words 18\n" +
			"  pebbles tune --runs 40 --out profile.json alltoall --ranks 8 --topology direct\n" +
			"  pebbles tune --parameters odin --json permutation --procs 2\n" +
			"  pebbles tune --runs 40 -- ./program -ranks 4",
		Args: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() == 0 && len(args) > 0 {
				return nil // a program of the user's
			}
			if len(args) == 0 || !slices.Contains(tunables(), args[0]) {
				return fmt.Errorf("what is to be tuned is %q: use one of %s", strings.Join(args, " "), strings.Join(tunables(), ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return u.start(c, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return u.complete(args, begun)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.SetInterspersed(false) // what follows the application's name is the application's
	f.Var(count{&u.runs, 1, ""}, "runs", fmt.Sprintf("runs at most; fewer than %d can't show a gain", 1+race.Least))
	f.DurationVar(&u.limit, "limit", 2*time.Minute, "time that one run may take")
	f.StringVar(&u.out, "out", "", "file to write the profile to (default pebbles/profile-APP.json in the user's folder of configuration)")
	f.StringVar(&u.parameters, "parameters", "", parametersUsage())
	completes(c, "parameters", cobra.ShellCompDirectiveDefault, model.Names()...)
	f.BoolVar(&u.json, "json", false, "print the profile instead of a table")
	f.BoolVarP(&u.quiet, "quiet", "q", false, "show no progress")
	return c
}

// start parses the application's command line, and tunes.
func (u *tuning) start(c *cobra.Command, app []string) error {
	if u.limit <= 0 {
		return errors.New("--limit must be a positive time such as 30s")
	}
	if c.ArgsLenAtDash() == 0 {
		return u.startOwn(app)
	}
	if err := u.parse(app); err != nil {
		return err
	}
	if u.job == nil { // the application was asked for help, and had nothing to begin
		return u.help(c)
	}
	if u.begin != nil {
		return u.begin(u.job)
	}
	return u.finish(u.tune)
}

// finish tunes, and gives an error its status.
func (u *tuning) finish(tune func() error) error {
	err := tune()
	var s *launch.SignalError
	switch {
	case errors.As(err, &s):
		return &failure{s.Status(), err}
	case err != nil:
		return &failure{launch.ExitError, err}
	}
	return nil
}

// parse parses the application's command line, by its own command.
func (u *tuning) parse(app []string) error {
	if launch.Started(false) {
		return errors.New("tune starts its jobs itself: run it by itself")
	}
	u.app = app
	u.root = newCommand(terminal{args: app, stdout: io.Discard, stderr: io.Discard, begin: func(j *job) error {
		u.job = j
		return nil
	}})
	if _, err := u.root.ExecuteC(); err != nil {
		return fmt.Errorf("%s: %w", app[0], err)
	}
	if u.job == nil {
		return nil
	}
	switch s := u.job.settings; {
	case s.explain || s.profile != "":
		return fmt.Errorf("%s: leave out --explain and --profile", app[0])
	case s.autos != autos{}:
		return fmt.Errorf("%s: leave out %s: tune finds what flags don't say", app[0], auto)
	case s.spread.onHosts():
		return fmt.Errorf("%s: leave out --hosts: a profile is for the machine that it is made on", app[0])
	}
	u.of = profiled(u.command(), u.job.settings)
	return nil
}

// help is that of tune, and of the flags that make the application's work.
func (u *tuning) help(c *cobra.Command) error {
	if err := c.Help(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(u.stdout, "\nFlags of %s:\n%s", u.app[0], u.command().LocalFlags().FlagUsages())
	return written(err)
}

// command is the application's own, with its flags as they were given.
func (u *tuning) command() *cobra.Command {
	c, _, err := u.root.Find(u.app)
	if err != nil {
		panic("pebbles: " + err.Error()) // it has just been found
	}
	return c
}

// given reports whether a flag of the application is on the command line.
func (u *tuning) given(name string) bool {
	if u.own != nil {
		return !u.own.open[name]
	}
	return u.command().Flags().Changed(name)
}

// space is what may vary: all but the flags that are given.
func (u *tuning) space() tune.Space {
	space := tune.SpaceFor(u.of.Ranks, 8, u.own != nil || tunable[u.app[0]])
	if u.given("topology") {
		space.Topologies = nil
	}
	if u.given("coalesce") {
		space.Coalesce = nil
	}
	if u.given("cache") {
		space.Cache = nil
	}
	return space
}

// tune runs the application until there is nothing left to try, and writes the profile.
func (u *tuning) tune() error {
	out, err := u.place()
	if err != nil {
		return err
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	start, err := u.starting(ctx)
	if err != nil {
		return err
	}
	first, err := u.run(ctx, start)
	if err != nil {
		return err
	}
	predict, err := u.predict(first)
	if err != nil {
		return err
	}
	r, err := race.New(tune.Config{Start: start, Space: u.space(), Predict: predict}, u.runs-1)
	if err != nil {
		return err
	}
	for next, on := r.Next(); on; next, on = r.Next() {
		one, err := u.run(ctx, next)
		if err != nil {
			return err
		}
		r.Saw(one.seconds)
		u.tell(r)
	}
	p := r.Profile(u.of, time.Now().UTC().Truncate(time.Second))
	text, err := p.Encode()
	if err == nil && out != "" {
		err = lab.WriteFile(out, text)
	}
	if err != nil {
		return err
	}
	return u.print(p, out, text)
}

// place is the file of the profile, which can be written; "" for none.
func (u *tuning) place() (out string, err error) {
	out = u.out
	switch {
	case out == "" && u.own != nil:
		return "", nil // the program is told by its flags
	case out == "":
		if out, err = profilePlace(u.app[0]); err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return "", err
		}
	}
	return out, lab.Writable(out)
}

// starting is what the first run has.
func (u *tuning) starting(ctx context.Context) (tune.Setting, error) {
	if u.own != nil {
		return u.profileOwn(ctx)
	}
	s := u.job.settings
	start := tune.Setting{Topology: s.topology.text, Coalesce: s.coalesce, Cache: s.cache}
	if u.app[0] == "reduce" && !u.given("cache") {
		start.Cache = reduction.CacheDefault
	}
	return start, nil
}

// tell prints progress.
func (u *tuning) tell(r *race.Race) {
	if !u.quiet {
		fmt.Fprintf(u.stderr, "%d/%d runs, %s\n", r.Runs()+1, u.runs, r.Setting())
	}
}

// tunedRun is the result of one run.
type tunedRun struct {
	seconds  float64
	counters map[string]json.Number
}

func (r tunedRun) counter(name string) float64 {
	n, _ := r.counters[name].Float64()
	return n
}

// run runs the application once.
func (u *tuning) run(ctx context.Context, s tune.Setting) (tunedRun, error) {
	args, err := u.args(s)
	if err != nil {
		return tunedRun{}, err
	}
	r, err := u.measure(ctx, args, nil)
	if err != nil {
		return tunedRun{}, err
	}
	return tunedRun{r.Samples[0].Value, r.Samples[0].Counters}, nil
}

// args is the command line of one run.
func (u *tuning) args(s tune.Setting) ([]string, error) {
	if u.own != nil {
		return append(u.own.with(s), "-json"), nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	args := append([]string{self}, u.app...)
	args = append(args, "--json", "--quiet", "--topology", s.Topology, fmt.Sprint("--coalesce=", s.Coalesce))
	if tunable[u.app[0]] {
		args = append(args, fmt.Sprint("--cache=", s.Cache))
	}
	return args, nil
}

// measure runs a command once, and returns its time with the fields of its report.
func (u *tuning) measure(ctx context.Context, args, fields []string) (*lab.Result, error) {
	c := lab.Case{Name: u.app[0], Args: args, Field: "seconds", Unit: "s", Lower: true, Exact: fields}
	results, err := lab.Alternate(ctx, []lab.Group{{Name: "tune", Cases: []lab.Case{c}}},
		lab.Options{Repeats: 1, Limit: u.limit, Probe: func() time.Duration { return 0 }})
	if err != nil {
		return nil, err
	}
	return results.Groups[0].Results[0], nil
}

// predict returns the model's predictions for the work that the first run counted; nil when there are no parameters for this
// machine and no flag names any.
func (u *tuning) predict(first tunedRun) (func(tune.Setting) float64, error) {
	p, _, err := parametersOf(u.parameters)
	sent, epochs := first.counter("pebbles_sent"), max(1, first.counter("epochs"))
	switch {
	case err != nil && u.parameters != "":
		return nil, err
	case err != nil || sent == 0:
		return nil, nil
	}
	if u.of.Transport == connect.ByTCP {
		p = p.Over(model.Network)
	}
	ranks, carried := float64(u.of.Ranks), sent+first.counter("forwarded")
	return tune.Predictor(p, model.Job{
		Ranks: u.of.Ranks, Layout: model.Layout{PerProcess: (u.of.Ranks + u.of.Processes - 1) / u.of.Processes},
		Pebbles: sent / ranks / epochs, Bytes: max(1, int(first.counter("bytes_sent")/carried)), Epochs: int(epochs),
	}), nil
}

func (u *tuning) print(p tune.Profile, out string, text []byte) error {
	if u.json {
		_, err := u.stdout.Write(text)
		return written(err)
	}
	w := tabwriter.NewWriter(u.stdout, 0, 0, 2, ' ', 0)
	for _, d := range p.Decisions {
		fmt.Fprintf(w, "%d\t%s\t%s\n", d.Window, d.Phase, d.Reason)
	}
	fmt.Fprintf(w, "chosen\t%s: %s\n", p.Setting, why(p))
	if u.own != nil {
		fmt.Fprintf(w, "run it as\t%s\n", strings.Join(u.own.with(p.Setting), " "))
	}
	if out != "" {
		fmt.Fprintf(w, "profile\t%s\n", out)
	}
	return written(w.Flush())
}

// why gives the reasons for a profile's setting.
func why(p tune.Profile) string {
	switch {
	case p.Setting != p.Start:
		return fmt.Sprintf("%.2f times as fast as %s", p.Gain, p.Start)
	case len(p.Decisions) == 0:
		return "nothing else was tried"
	case !race.Fought(p):
		return fmt.Sprintf("runs were too few to show that another setting is faster; give --runs %d or more", 1+race.Least)
	}
	return fmt.Sprintf("none of %s was faster", counted(uint64(len(p.Decisions)), "other setting", "other settings"))
}
