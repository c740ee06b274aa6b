package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// measurement is one run of this program.
type measurement struct {
	options
	ctx     context.Context
	scratch string
}

// row is the result of one application over one transport. Ratios are those of the best setting's time to each, run by run.
type row struct {
	application, transport string
	best                   setting
	runs                   int
	seconds                lab.Summary // of the best
	defaults, fresh, tuned ratio
	chose, knows           string // what auto ended with, without and with a profile
}

// compare adds the times of runs that were made in turns.
func (r *row) compare(times map[string][]float64) {
	best := times["best"]
	r.seconds = lab.Summarize(best)
	r.defaults, r.fresh, r.tuned = ratioOf(best, times["defaults"]), ratioOf(best, times["fresh"]), ratioOf(best, times["tuned"])
}

// enough is how certain a median has to be.
const enough = 0.03

func (r *row) certain() bool { return max(r.fresh.doubt, r.tuned.doubt) <= enough }

// all measures what matches.
func (m *measurement) all(only *regexp.Regexp) (rows []row, err error) {
	if err := m.fit(); err != nil {
		return nil, err
	}
	for _, a := range applications {
		for _, t := range transports {
			if !only.MatchString(a.name + "/" + t.name) {
				continue
			}
			one := &one{measurement: m, application: a, transport: t.name, line: a.line(t.flags, m.Small)}
			r, err := one.measure()
			if err != nil {
				return nil, fmt.Errorf("%s over %s: %w", a.name, t.name, err)
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// fresh is a folder of configuration of which every application has none but the machine's parameters.
func (m *measurement) fresh() string { return filepath.Join(m.scratch, "fresh") }

func (m *measurement) fit() error {
	args := []string{"fit"}
	if m.Small {
		args = append(args, "--repeats", "2", "--frames", "60", "--time", "0", "--pebbles", "32768")
	}
	return m.run(m.fresh(), args)
}

// run runs the command with a folder of configuration.
func (m *measurement) run(folder string, args []string) error {
	if _, err := lab.Run(m.ctx, 0, configured(folder), append([]string{m.Pebbles}, args...)...); err != nil {
		return fmt.Errorf("pebbles %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func configured(folder string) []string {
	return []string{"HOME=" + folder, "XDG_CONFIG_HOME=" + folder}
}

// one is an application over a transport.
type one struct {
	*measurement
	application
	transport string
	line      []string
}

func (o *one) measure() (r row, err error) {
	r = row{application: o.name, transport: o.transport}
	if r.best, err = o.search(); err != nil {
		return r, err
	}
	tuned, err := o.tune()
	if err != nil {
		return r, err
	}
	cases := []lab.Case{
		o.runs("best", o.fresh(), r.best.flags()), o.runs("defaults", o.fresh(), nil),
		o.runs("fresh", o.fresh(), o.auto()), o.runs("tuned", tuned, o.auto()),
	}
	times, warm := map[string][]float64{}, 1
	for ; r.runs == 0 || !r.certain() && r.runs < o.most; warm = 0 {
		results, err := o.alternate(cases, o.Repeats, warm)
		if err != nil {
			return r, err
		}
		for _, c := range cases {
			times[c.Name] = append(times[c.Name], results.Find(c.Name).Values()...)
		}
		r.runs = len(times["best"])
		r.compare(times)
	}
	if r.chose, err = o.chosen(o.fresh()); err != nil {
		return r, err
	}
	r.knows, err = o.chosen(tuned)
	return r, err
}

// sweepMost is how often each setting of a sweep is run at most.
const sweepMost = 3

// search finds the setting with the best median of a full sweep.
func (o *one) search() (best setting, err error) {
	var cases []lab.Case
	all := o.sweep()
	for _, s := range all {
		cases = append(cases, o.runs(s.String(), o.fresh(), s.flags()))
	}
	results, err := o.alternate(cases, min(o.Repeats, sweepMost), 0)
	if err != nil {
		return best, err
	}
	least := 0.0
	for _, s := range all {
		median := results.Find(s.String()).Summary().Median
		fmt.Fprintf(o.Stderr, "%s/%s: %v: %.4g s\n", o.name, o.transport, s, median)
		if least == 0 || median < least {
			best, least = s, median
		}
	}
	return best, nil
}

// tune writes a profile, into a folder of configuration of its own.
func (o *one) tune() (folder string, err error) {
	folder = filepath.Join(o.scratch, o.name+"-"+o.transport)
	if err := os.CopyFS(folder, os.DirFS(o.fresh())); err != nil {
		return "", err
	}
	return folder, o.run(folder, append([]string{"tune", "--quiet", "--runs", fmt.Sprint(o.measurement.runs)}, o.line...))
}

// runs is a case: the application with more flags.
func (o *one) runs(name, folder string, more []string) lab.Case {
	args := append(append([]string{o.Pebbles}, o.line...), "--json", "--quiet")
	return lab.Case{Name: name, Args: append(args, more...), Env: configured(folder), Field: "seconds", Unit: "s", Lower: true}
}

func (o *one) alternate(cases []lab.Case, repeats, warm int) (lab.Results, error) {
	return lab.Alternate(o.ctx, []lab.Group{{Name: o.name, Cases: cases}}, lab.Options{Repeats: repeats, WarmUp: warm})
}

// chosen is what a job that tunes itself ends with.
func (o *one) chosen(folder string) (string, error) {
	var report struct {
		Tuned struct {
			Setting struct {
				Topology string
				Coalesce int
				Cache    int
			}
		}
	}
	if _, err := lab.Ask(o.ctx, 0, configured(folder), &report, o.runs("", folder, o.auto()).Args...); err != nil {
		return "", err
	}
	s := setting{report.Tuned.Setting.Topology, report.Tuned.Setting.Coalesce, report.Tuned.Setting.Cache}
	if !o.factors {
		s.factor = 0
	}
	return s.String(), nil
}
