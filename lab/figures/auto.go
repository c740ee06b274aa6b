package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/tune"
)

// auto compares jobs that tune themselves with the best setting of a full sweep: for each application over each
// transport, it runs every topology, coalescing factor and cache, and runs the one with the best median again,
// alternately with the defaults, with auto as a newcomer has it after pebbles fit, and with auto after pebbles tune.
// The best of many noisy settings looks better than it is, which is why it is measured anew beside the others.
type auto struct {
	*lab.Session
	ctx     context.Context
	most    int    // runs of the best, the defaults and auto
	runs    int    // of pebbles tune
	scratch string // a folder
}

func autoProgram() lab.Program {
	var a auto
	return lab.Program{
		Name: "auto", Flags: "pebbles repeats small only page", Repeats: 7, Own: func(f *flag.FlagSet) {
			f.IntVar(&a.most, "most", 42, "runs of the best, the defaults and auto at most: there are more than "+
				"-repeats until the "+
				"medians are certain to 3 %")
			f.IntVar(&a.runs, "runs", 64, "runs of pebbles tune at most")
		}, Run: func(ctx context.Context, s *lab.Session) error {
			a.Session, a.ctx = s, ctx
			return a.publish()
		},
	}
}

// tunable is an application whose settings are swept.
type tunable struct {
	name, work, tiny string // flags that say what it does; tiny for -small
	factors          bool   // the coalescing factor is not the application's own
	reduction        bool
}

var tunables = []tunable{
	{"randomaccess", "--log2-words 19", "--log2-words 10", true, false},
	{"permutation", "--log2-elements 20", "--log2-elements 10", true, false},
	{"pointerchase", "--rounds 2000", "--rounds 2", false, false},
	{"bfs", "--kronecker 16 --roots 16", "--kronecker 8 --roots 2", true, true},
	{"alltoall", "--rounds 500000", "--rounds 1000", true, false},
	{"reduce", "--items 2000000", "--items 1000", true, true},
}

// autoRanks are more than a machine of two cores has, so that topologies differ.
const autoRanks = 4

var transports = []struct{ name, flags string }{
	{"mem", ""}, {"shm", "--procs 2 --transport shm"}, {"tcp", "--procs 2 --transport tcp"},
}

// settings are all flags of a sweep: those of each topology, of each factor, and of each cache.
func (a tunable) settings() (all [][]string) {
	all = flags(nil, "--topology", "direct", "hypercube")
	if a.factors {
		all = flags(all, "--coalesce", "64", "512", "4096", "16384")
	}
	if a.reduction {
		all = flags(all, "--cache", "0", "4096")
	}
	return all
}

// auto are the flags that leave all of a sweep to the job.
func (a tunable) auto() (all []string) {
	for i, f := range a.settings()[0] {
		if i%2 == 1 {
			f = "auto"
		}
		all = append(all, f)
	}
	return all
}

// flags adds each value of a flag to each of some command lines.
func flags(lines [][]string, flag string, values ...string) (all [][]string) {
	if lines == nil {
		lines = [][]string{nil}
	}
	for _, line := range lines {
		for _, value := range values {
			all = append(all, append(line[:len(line):len(line)], flag, value))
		}
	}
	return all
}

// told are flags as the page has them: the topology, the factor, and the cache where there is one.
func told(flags []string) string {
	text := flags[1]
	for i := 2; i < len(flags); i += 2 {
		switch {
		case flags[i] == "--coalesce":
			text += ", " + flags[i+1]
		case flags[i+1] != "0":
			text += ", cache " + flags[i+1]
		}
	}
	return text
}

func (a *auto) publish() (err error) {
	if a.most < 1 || a.runs < 1 {
		return lab.UsageError{Err: fmt.Errorf("-most %d, -runs %d: give 1 or more", a.most, a.runs)}
	}
	fit := []string{"fit"}
	if a.Small {
		a.Repeats, a.most, a.runs = 1, 1, 3
		fit = append(fit, quickFit...)
	}
	if a.scratch, err = os.MkdirTemp("", "pebbles-auto-"); err != nil {
		return err
	}
	defer os.RemoveAll(a.scratch)
	if err := a.command(a.fresh(), fit...); err != nil {
		return err
	}
	table := lab.NewTable("application", "transport", "best setting", "time", "runs", "defaults", "auto, fresh",
		"ended with",
		"auto, tuned", "ended with")
	only := regexp.MustCompile(a.Only) // which is checked
	for _, of := range tunables {
		for _, t := range transports {
			if !only.MatchString(of.name + "/" + t.name) {
				continue
			}
			work := of.work
			if a.Small {
				work = of.tiny
			}
			line := strings.Fields(fmt.Sprint(of.name, " --ranks ", autoRanks, " ", t.flags, " ", work))
			row, err := (&one{a, of, line}).measure()
			if err != nil {
				return fmt.Errorf("%s over %s: %w", of.name, t.name, err)
			}
			table.Row(append([]any{of.name, t.name}, row...)...)
		}
	}
	return a.Publish("auto", strings.Join([]string{
		"# Jobs that tune themselves",
		fmt.Sprintf("%s Jobs have %d ranks; figures are medians of %d to %d runs: as many as make ratios certain to "+
			"%.2f.",
			lab.Made("make -C lab auto"), autoRanks, a.Repeats, a.most, enough),
		"The best setting is that of a full sweep over topologies, factors and caches, three runs each, measured " +
			"again beside the " +
			"others.\n1 is as fast as it, and after \"±\" stands within how much the median is for 95 %. All of " +
			"these are whole " +
			"runs, experiments included. Fresh is auto after `pebbles fit`, tuned is auto after `pebbles tune`.",
		table.String(),
	}, "\n\n"))
}

// fresh is a folder of configuration with the machine's parameters and no profile.
func (a *auto) fresh() string { return filepath.Join(a.scratch, "fresh") }

// command runs pebbles with a folder of configuration.
func (a *auto) command(folder string, args ...string) error {
	if _, err := lab.Run(a.ctx, 0, configured(folder), append([]string{a.Pebbles}, args...)...); err != nil {
		return fmt.Errorf("pebbles %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func configured(folder string) []string {
	return []string{"HOME=" + folder, "XDG_CONFIG_HOME=" + folder}
}

// one is an application over a transport, with its command line but for a setting.
type one struct {
	*auto
	tunable
	line []string
}

// enough is how certain a median has to be.
const enough = 0.03

// measure is what the page says of it. There are more runs until both ratios of auto are certain.
func (o *one) measure() (row []any, err error) {
	best, err := o.sweep()
	if err != nil {
		return nil, err
	}
	tuned := filepath.Join(o.scratch, strings.Join(o.line, " "))
	if err := os.CopyFS(tuned, os.DirFS(o.fresh())); err != nil {
		return nil, err
	}
	if err := o.command(tuned, append([]string{"tune", "--quiet", "--runs", fmt.Sprint(o.runs)},
		o.line...)...); err != nil {
		return nil, err
	}
	cases := []lab.Case{
		o.with("best", o.fresh(), best), o.with("defaults", o.fresh(), nil),
		o.with("fresh", o.fresh(), o.tunable.auto()), o.with("tuned", tuned, o.tunable.auto()),
	}
	times := map[string][]float64{}
	for warm := 1; ; warm = 0 {
		results, err := o.alternate(cases, o.Repeats, warm)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			times[c.Name] = append(times[c.Name], results.Find(c.Name).Values()...)
		}
		defaults, fresh, after := ratioOf(times, "defaults"), ratioOf(times, "fresh"), ratioOf(times, "tuned")
		n := len(times["best"])
		if max(fresh.doubt, after.doubt) > enough && n < o.most {
			continue
		}
		chose, err := o.chosen(cases[2])
		if err != nil {
			return nil, err
		}
		knows, err := o.chosen(cases[3])
		seconds := fmt.Sprintf("%.0f ms", 1000*lab.Summarize(times["best"]).Median)
		return []any{told(best), seconds, n, defaults, fresh, chose, after, knows}, err
	}
}

// sweep finds the setting with the best median.
func (o *one) sweep() (best []string, err error) {
	const most = 3 // runs of each
	var cases []lab.Case
	for _, s := range o.settings() {
		cases = append(cases, o.with(told(s), o.fresh(), s))
	}
	results, err := o.alternate(cases, min(o.Repeats, most), 0)
	if err != nil {
		return nil, err
	}
	least := math.Inf(1)
	for _, s := range o.settings() {
		median := results.Find(told(s)).Summary().Median
		fmt.Fprintf(o.Stderr, "%s: %s: %.4g s\n", strings.Join(o.line, " "), told(s), median)
		if median < least {
			best, least = s, median
		}
	}
	return best, nil
}

// with is the application with more flags.
func (o *one) with(name, folder string, more []string) lab.Case {
	args := append(append([]string{o.Pebbles}, o.line...), "--json", "--quiet")
	return lab.Case{Name: name, Args: append(args, more...), Env: configured(folder), Field: "seconds", Unit: "s",
		Lower: true}
}

func (o *one) alternate(cases []lab.Case, repeats, warm int) (lab.Results, error) {
	return lab.Alternate(o.ctx, []lab.Group{{Name: o.name, Cases: cases}}, lab.Options{Repeats: repeats, WarmUp: warm})
}

// chosen is what a job that tunes itself ends with.
func (o *one) chosen(c lab.Case) (string, error) {
	var report struct {
		Tuned struct{ Setting tune.Setting }
	}
	if _, err := lab.Ask(o.ctx, 0, c.Env, &report, c.Args...); err != nil {
		return "", err
	}
	s := report.Tuned.Setting
	flags := []string{"--topology", s.Topology}
	if o.factors {
		flags = append(flags, "--coalesce", fmt.Sprint(s.Coalesce))
	}
	return told(append(flags, "--cache", fmt.Sprint(s.Cache))), nil
}

// ratio is the median of the best's times to another's, run by run, and how far it may be off: the median of so many
// more runs would be nearer in 95 cases of 100, if ratios are distributed normally.
type ratio struct{ median, doubt float64 }

func ratioOf(times map[string][]float64, name string) ratio {
	var all []float64
	for i, best := range times["best"] {
		all = append(all, best/times[name][i])
	}
	s := lab.Summarize(all)
	const (
		deviations = 1.96   // that 95 of 100 are within
		ofSpread   = 1.4826 // a deviation, as a multiple of the median distance to the median
		ofMean     = 1.2533 // the deviation of a median, as a multiple of a mean's
	)
	return ratio{s.Median, deviations * ofSpread * ofMean * s.Spread / math.Sqrt(float64(len(all)))}
}

func (r ratio) String() string { return fmt.Sprintf("%.2f ± %.2f", r.median, r.doubt) }
