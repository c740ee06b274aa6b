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

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/tune"
)

// auto compares jobs that tune themselves with the best setting of a full sweep. For each application over each
// transport, it runs every topology, coalescing factor and cache. It runs the setting with the best median again,
// alternately with the defaults, with auto after pebbles-lab fit, as for a new user, and with auto after pebbles tune.
// The best of many noisy settings looks better than it is, so it is measured again next to the others.
type auto struct {
	*lab.Session
	ctx     context.Context
	runs    int    // limit of the runs of pebbles tune
	scratch string // a folder
}

func autoProgram() lab.Program {
	var a auto
	return lab.Program{
		Name: "auto", Flags: "pebbles repeats small only page", Repeats: 21, Own: func(f *flag.FlagSet) {
			f.IntVar(&a.runs, "runs", 64, "runs of pebbles tune at most")
		}, Run: func(ctx context.Context, s *lab.Session) error {
			a.Session, a.ctx = s, ctx
			return a.publish()
		},
	}
}

// tunables are the applications with swept settings: their work, tiny for -small, and the flags for settings that the
// job may choose.
var tunables = []struct{ name, work, tiny, open string }{
	{"randomaccess", "--log2-words 19", "--log2-words 10", "--topology --coalesce"},
	{"permutation", "--log2-elements 20", "--log2-elements 10", "--topology --coalesce"},
	{"pointerchase", "--rounds 2000", "--rounds 2", "--topology"}, // its coalescing factor is fixed
	{"bfs", "--kronecker 16 --roots 16", "--kronecker 8 --roots 2", "--topology --coalesce --cache"},
	{"alltoall", "--rounds 500000", "--rounds 1000", "--topology --coalesce"},
	{"reduce", "--items 2000000", "--items 1000", "--topology --coalesce --cache"},
}

// transports have 4 ranks each, more than the cores of a machine of two, so that topologies differ.
var transports = []struct{ name, flags string }{
	{"mem", "--ranks 4"}, {"shm", "--ranks 4 --procs 2 --transport shm"}, {"tcp", "--ranks 4 --procs 2 --transport tcp"},
}

// sweep returns all settings of flags, as on a command line.
func sweep(open string) (all []string) {
	all = []string{""}
	for flag := range strings.FieldsSeq(open) {
		var longer []string
		for _, line := range all {
			for value := range strings.FieldsSeq(map[string]string{
				"--topology": "direct hypercube", "--coalesce": "64 512 4096 16384", "--cache": "0 4096"}[flag]) {
				longer = append(longer, strings.TrimSpace(line+" "+flag+" "+value))
			}
		}
		all = longer
	}
	return all
}

func (a *auto) publish() (err error) {
	if a.runs < 1 {
		return lab.UsageError{Err: fmt.Errorf("-runs %d: give 1 or more", a.runs)}
	}
	fit := []string{"fit"}
	if a.Small {
		a.Repeats, a.runs = 1, 3
		fit = append(fit, quickFit...)
	}
	if a.scratch, err = os.MkdirTemp("", "pebbles-auto-"); err != nil {
		return err
	}
	defer os.RemoveAll(a.scratch)
	if err := a.command("fresh", fit...); err != nil {
		return err
	}
	table := lab.NewTable("application", "transport", "best setting", "time", "defaults", "auto, fresh", "ended with",
		"auto, tuned", "ended with")
	for _, of := range tunables {
		for _, t := range transports {
			if name := of.name + "/" + t.name; !regexp.MustCompile(a.Only).MatchString(name) { // already checked
				continue
			}
			work := of.work
			if a.Small {
				work = of.tiny
			}
			row, err := a.measure(strings.Join([]string{of.name, t.flags, work}, " "), of.open)
			if err != nil {
				return fmt.Errorf("%s over %s: %w", of.name, t.name, err)
			}
			table.Row(append([]any{of.name, t.name}, row...)...)
		}
	}
	return a.Publish("auto", fmt.Sprintf("# Jobs that tune themselves\n\n%s Figures are medians of %d runs.\n\nThe best "+
		"setting is that of a full sweep over topologies, factors and caches, three runs each, measured again beside "+
		"the others.\n1 is as fast as it; half of the runs are nearer than what stands after \"±\". All of these are "+
		"whole runs, experiments included. Fresh is auto after `pebbles-lab fit`, tuned is auto after `pebbles tune`.\n\n%s",
		lab.Made("make -C lab auto"), a.Repeats, table))
}

// command runs pebbles with a folder of configuration: the fresh one has the machine's parameters and no profile.
func (a *auto) command(folder string, args ...string) error {
	if _, err := machine.Run(a.ctx, 0, a.configured(folder), append([]string{a.Pebbles}, args...)...); err != nil {
		return fmt.Errorf("pebbles %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func (a *auto) configured(folder string) []string {
	folder = filepath.Join(a.scratch, folder)
	return []string{"HOME=" + folder, "XDG_CONFIG_HOME=" + folder}
}

// measure returns the row of the page for an application's command line.
func (a *auto) measure(line, open string) (row []any, err error) {
	var all []lab.Case
	for _, setting := range sweep(open) {
		all = append(all, a.with(setting, "fresh", line, setting))
	}
	swept, err := lab.Alternate(a.ctx, []lab.Group{{Name: line, Cases: all}}, lab.Options{Repeats: min(a.Repeats, 3)})
	if err != nil {
		return nil, err
	}
	best, least := "", math.Inf(1)
	for _, r := range swept.Groups[0].Results {
		fmt.Fprintf(a.Stderr, "%s %s: %.4g s\n", line, r.Name, r.Summary().Median)
		if r.Summary().Median < least {
			best, least = r.Name, r.Summary().Median
		}
	}
	if err := os.CopyFS(filepath.Join(a.scratch, line), os.DirFS(filepath.Join(a.scratch, "fresh"))); err != nil {
		return nil, err
	}
	if err := a.command(line, append([]string{"tune", "--quiet", "--runs", fmt.Sprint(a.runs)},
		strings.Fields(line)...)...); err != nil {
		return nil, err
	}
	auto := strings.ReplaceAll(open+" ", " ", " auto ")
	four := lab.Group{Name: line, Cases: []lab.Case{
		a.with("best", "fresh", line, best), a.with("defaults", "fresh", line, ""),
		a.with("fresh", "fresh", line, auto), a.with("tuned", line, line, auto),
	}}
	for i := range four.Cases {
		four.Cases[i].Against = "best"
	}
	results, err := lab.Alternate(a.ctx, []lab.Group{four}, lab.Options{Repeats: a.Repeats, WarmUp: 1})
	if err != nil {
		return nil, err
	}
	row = []any{best, fmt.Sprintf("%.0f ms", 1000*results.Find("best").Summary().Median)}
	for i, r := range results.Groups[0].Results[1:] {
		s := lab.Summarize(results.Groups[0].Ratios(r))
		row = append(row, fmt.Sprintf("%.2f ± %.2f", s.Median, s.Spread))
		if i > 0 {
			var report struct {
				Tuned struct{ Setting tune.Setting }
			}
			if _, err := machine.Ask(a.ctx, 0, r.Env, &report, r.Args...); err != nil {
				return nil, err
			}
			row = append(row, report.Tuned.Setting)
		}
	}
	return row, nil
}

// with returns a case of an application's command line with more flags.
func (a *auto) with(name, folder, line, more string) lab.Case {
	args := append(strings.Fields(a.Pebbles+" "+line+" "+more), "--json", "--quiet")
	return lab.Case{Name: name, Args: args, Env: a.configured(folder), Field: "seconds", Unit: "s", Lower: true}
}
