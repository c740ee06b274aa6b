package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/internal/watch"
	"github.com/activepebbles/pebbles/pebble"
)

// Job is one run of an application with checked flags.
type Job struct {
	Terminal
	Name     string
	Work     string // the application and the flags that define its work, however it runs
	settings *settings
	member   bool // this process belongs to a started job
	run      func(*pebble.Rank, progress) (outcome, error)
}

// Several reports whether the job has several processes.
func (j *Job) Several() bool { return j.settings.spread.Several() }

// Explains reports whether the job is only explained.
func (j *Job) Explains() bool { return j.settings.Explain }

// JSON reports whether results are printed as JSON.
func (j *Job) JSON() bool { return j.settings.JSON() }

// Quiet reports whether progress is hidden.
func (j *Job) Quiet() bool { return j.settings.log.quiet }

// Config returns the job's configuration.
func (j *Job) Config(log *slog.Logger) (pebble.Config, error) { return j.settings.config(log) }

// Costs returns the key for the cost of the job's pebbles: its work, and its ranks unless they have the default number.
func (j *Job) Costs() string {
	if ranks := j.settings.ranks(); ranks != machine.ApplicationRanks {
		return fmt.Sprintf("%s --ranks=%d", j.Work, ranks)
	}
	return j.Work
}

// Measure runs a rank and returns its measurements.
func (j *Job) Measure(r *pebble.Rank) (apps.Report, error) {
	o, err := j.run(r, nil)
	return o.report, err
}

// start runs the job here, or as several processes.
func (j *Job) start() error {
	if j.settings.spread.Several() && !j.member {
		return j.launch()
	}
	return j.runRanks()
}

// launch starts this command again as the processes of the job. Process 0 gets the terminal itself, to draw on. The
// lines of the others get a prefix.
func (j *Job) launch() error {
	self, err := ThisProgram()
	if err != nil {
		return Failed(err)
	}
	spec := j.settings.spread.Spec(append([]string{self}, j.Args...), j.settings.log.logger(j.Stderr))
	spec.Transport = j.settings.via()
	spec.Stdin, spec.Stdout, spec.Stderr = j.Stdin, unchecked(j.Stdout), j.Stderr
	began := time.Now()
	result, err := launch.Run(context.Background(), spec)
	if failed := recordEnds(j.settings.text("record"), j.Name, began, result, err); failed != nil {
		fmt.Fprintf(j.Stderr, "record how the job has ended: %v\n", failed)
	}
	var failed *launch.FailedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed) && alreadyReported(failed.First):
		return &Failure{Status: result.Status}
	}
	return &Failure{result.Status, err}
}

// alreadyReported reports whether a process of this command has already printed the reason of its end.
func alreadyReported(o launch.Outcome) bool {
	return o.Signal == 0 && (o.Status == launch.ExitError || o.Status == launch.ExitPanic)
}

// precedence is the delay of an error on processes other than 0. Many errors reach all ranks at once; then process 0
// reports the error and the others end silently.
const precedence = 300 * time.Millisecond

// runRanks runs the ranks of this process, and prints the result if rank 0 is here.
func (j *Job) runRanks() error {
	stderr := &prefixWriter{to: j.Stderr}
	log := j.settings.log.logger(stderr)
	config, err := j.settings.config(log)
	if err != nil {
		return err
	}
	if j.member {
		config.Ranks = j.settings.spread.Ranks
		if _, said := os.LookupEnv("PEBBLES_RANKS"); said {
			config.Ranks = 0 // set by the starter of the job; see settings.fits
		}
	}
	ctx, stop := config.WithSignals(context.Background())
	defer stop()
	bar := newBar(j.Stderr, j.Name, j.settings.log.quiet)
	if j.settings.Explain {
		config.Explain = j.explain
	}
	config.Watch.Name, config.Watch.List = "pebbles "+j.Name, true
	defer launch.DumpAtQuit(watch.Quit)()
	var result *outcome // of rank 0
	var joined sync.Once
	err = pebble.RunLaunched(ctx, config, func(r *pebble.Rank) error {
		joined.Do(func() {
			place := r.Place()
			if j.settings.spread.Several() { // otherwise its launcher adds the prefix
				stderr.setPlace(place)
			}
			log.Info("process takes part", "pid", os.Getpid(), "process", place.Process, "of", place.Processes,
				"first_rank", place.First, "last_rank", place.Last-1, "ranks", place.Ranks)
		})
		var o outcome
		err := j.settings.fits(r)
		if err == nil {
			o, err = j.run(r, bar.progress(r))
		}
		if errors.Is(err, pebble.ErrExplained) {
			return nil
		}
		if r.ID() == 0 {
			result = &o
		} else if err != nil && r.Place().Process != 0 {
			<-time.After(precedence)
		}
		return err
	})
	bar.clear()
	switch {
	case err != nil:
		return &Failure{Status: pebble.WriteError(stderr, err)}
	case result == nil:
		return nil // rank 0 is elsewhere
	}
	return j.report(*result)
}

// explain prints the plan of the job. Execute reports a failure to write at the end.
func (j *Job) explain(e pebble.Explanation) {
	if j.settings.JSON() {
		_ = json.NewEncoder(j.Stdout).Encode(e)
	} else {
		_, _ = fmt.Fprint(j.Stdout, e)
	}
}

// report prints the result and returns an error if it is wrong.
func (j *Job) report(o outcome) error {
	if err := Written(o.print(j.Stdout, j.settings)); err != nil {
		return err
	}
	if o.report.Errors > 0 {
		return &Failure{launch.ExitError, fmt.Errorf("the result is wrong: the verifier found %s: %s",
			Counted(o.report.Errors, "error", "errors"), strings.Join(o.report.Wrong, "; "))}
	}
	return nil
}

// Written wraps an error in writing a result.
func Written(err error) error {
	if err == nil {
		return nil
	}
	return Failed(fmt.Errorf("write the result: %w", err))
}

// formatOf returns the type of a file, from its name.
func formatOf(file string) string { return strings.TrimPrefix(filepath.Ext(file), ".") }

// create writes a file. It replaces an existing file at the end, which therefore stays if the write fails. A pipe or a
// device is written directly.
func create(file string, write func(w io.Writer) error) error {
	if info, err := os.Stat(file); err != nil || info.Mode().IsRegular() {
		return export.WriteFile(file, write, export.Replace())
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
