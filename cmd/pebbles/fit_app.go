package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
)

// parseApps parses the applications' command lines with their own commands.
func (m *fitter) parseApps() error {
	for _, line := range m.apps {
		args := strings.Fields(line)
		if len(args) == 0 {
			return errors.New("--app is empty: give a command line such as 'randomaccess --log2-words 20'")
		}
		if _, ok := tunable[args[0]]; !ok {
			return fmt.Errorf("--app %s: there is no such application", args[0])
		}
		var taken *job
		root := newCommand(terminal{
			args: append([]string{args[0], fmt.Sprint("--ranks=", fit.ApplicationRanks), "--quiet"}, args[1:]...), stdout: io.Discard, stderr: io.Discard,
			begin: func(j *job) error { taken = j; return nil },
		})
		if _, err := root.ExecuteC(); err != nil {
			return fmt.Errorf("--app %s: %w", args[0], err)
		}
		if taken == nil || taken.settings.spread.several() || taken.settings.explain {
			return fmt.Errorf("--app %s: give the flags that make its work: --help, --explain, --procs and --hosts have no place here", args[0])
		}
		m.jobs = append(m.jobs, taken)
	}
	return nil
}

// calibrate measures the applications with the saved parameters, and saves the costs of their pebbles beside them.
func (m *fitter) calibrate(out string) error {
	file, err := fit.Read(out)
	if err != nil {
		return err
	}
	if file.Applications == nil {
		file.Applications = map[string]model.Application{}
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	for _, j := range m.jobs {
		a, err := j.calibrated(ctx, file.Parameters, m.effort.Repeats)
		if err != nil {
			return fmt.Errorf("%s: %w", j.work, err)
		}
		file.Applications[j.costs()] = a
	}
	if err := fit.Write(out, file); err != nil {
		return err
	}
	if m.json {
		return m.print(file, out)
	}
	return m.printApplications(file, out)
}

// costs is the key of a job's pebble costs: its work, and its ranks if those are not the default.
func (j *job) costs() string {
	if ranks := j.settings.ranks(); ranks != fit.ApplicationRanks {
		return fmt.Sprintf("%s --ranks=%d", j.work, ranks)
	}
	return j.work
}

// calibrated measures one application.
func (j *job) calibrated(ctx context.Context, p model.Parameters, repeats int) (model.Application, error) {
	config, err := j.settings.config(slog.New(slog.DiscardHandler))
	if err != nil {
		return model.Application{}, err
	}
	return fit.Application(ctx, config, p, repeats, func(r *pebble.Rank) (fit.Run, error) {
		o, err := j.run(r, nil)
		if err == nil && o.report.Errors > 0 {
			err = fmt.Errorf("the result is wrong: the verifier found %s", counted(o.report.Errors, "error", "errors"))
		}
		return fit.Run{Seconds: o.report.Seconds, Counters: o.report.Counters}, err
	})
}

func (m *fitter) printApplications(f model.File, out string) error {
	w := tabwriter.NewWriter(m.stdout, 0, 0, 2, ' ', 0)
	for _, j := range m.jobs {
		a := f.Applications[j.costs()]
		fmt.Fprintf(w, "%s\tsend %s\thandle %s\t± %.0f %%\n", j.costs(), timeText(a.Send), timeText(a.Handle), 100*a.Spread)
	}
	fmt.Fprintf(w, "kept in\t%s\n", out)
	return written(w.Flush())
}

// keptApplications are the saved costs of applications on this machine.
func keptApplications(out string) map[string]model.Application {
	f, err := fit.Read(out)
	if err != nil || f.Machine != lab.ThisMachine().String() {
		return nil
	}
	return f.Applications
}

// coresHere measures how ranks share this host's cores. Where that can't be measured, a switch to another process is taken to cost
// as much as one to another rank.
func coresHere(repeats int) (model.Cores, error) {
	c := model.Cores{Count: runtime.NumCPU(), Switch: fit.Switch(repeats), Slice: lab.TimeSlice(repeats)}
	process, err := lab.ContextSwitch(repeats)
	c.ProcessSwitch = max(process, c.Switch)
	return c, err
}
