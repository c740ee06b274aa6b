package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/watch"
	"github.com/activepebbles/pebbles/pebble"
)

// job is one run of an application. Its flags have been checked.
type job struct {
	terminal
	name     string
	work     string // the application and the flags that make its work, however it runs
	settings *settings
	member   bool // this process belongs to a job that somebody has started
	run      func(*pebble.Rank, progress) (outcome, error)
}

// start runs the job here, or as several processes.
func (j *job) start() error {
	if j.settings.spread.several() && !j.member {
		return j.launch()
	}
	return j.runRanks()
}

// launch starts this command again as the processes of the job. Process 0 gets the terminal itself, to draw on; the
// lines of the others get a prefix.
func (j *job) launch() error {
	self, err := thisProgram()
	if err != nil {
		return failed(err)
	}
	spec := j.settings.spread.spec(append([]string{self}, j.args...), j.settings.log.logger(j.stderr))
	spec.Stdin, spec.Stdout, spec.Stderr = os.Stdin, unchecked(j.stdout), j.stderr
	began := time.Now()
	result, err := launch.Run(context.Background(), spec)
	if failed := recordEnds(j.settings.text("record"), j.name, began, result, err); failed != nil {
		fmt.Fprintf(j.stderr, "record how the job has ended: %v\n", failed)
	}
	var failed *launch.FailedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed) && alreadyReported(failed.First):
		return &failure{status: result.Status}
	}
	return &failure{result.Status, err}
}

// alreadyReported reports whether a process of this command has already printed why it ended.
func alreadyReported(o launch.Outcome) bool {
	return o.Signal == 0 && (o.Status == launch.ExitError || o.Status == launch.ExitPanic)
}

// precedence is the time by which processes other than 0 delay an error: many errors reach all ranks at once, and then
// process 0 reports it and the others end silently.
const precedence = 300 * time.Millisecond

// runRanks runs the ranks of this process, and prints the result where rank 0 is.
func (j *job) runRanks() error {
	stderr := &prefixWriter{to: j.stderr}
	log := j.settings.log.logger(stderr)
	config, err := j.settings.config(log)
	if err != nil {
		return err
	}
	if j.member {
		config.Ranks = j.settings.spread.ranks
		if _, said := os.LookupEnv("PEBBLES_RANKS"); said {
			config.Ranks = 0 // who started the job says how many; see settings.fits
		}
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	bar := newBar(j.stderr, j.name, j.settings.log.quiet)
	if j.settings.Explain {
		config.Explain = j.explain
	}
	config.Watch.Name, config.Watch.List = "pebbles "+j.name, true
	defer launch.DumpAtQuit(watch.Quit)()
	var result *outcome // of rank 0
	var joined sync.Once
	err = pebble.RunLaunched(ctx, config, func(r *pebble.Rank) error {
		joined.Do(func() {
			place := r.Place()
			if j.settings.spread.several() { // otherwise its launcher adds the prefix
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
		return &failure{status: pebble.Tell(stderr, err)}
	case result == nil:
		return nil // rank 0 is elsewhere
	}
	return j.report(*result)
}

// explain prints what the job would do. execute reports a failure to write at the end.
func (j *job) explain(e pebble.Explanation) {
	if j.settings.JSON {
		_ = json.NewEncoder(j.stdout).Encode(e)
	} else {
		_, _ = fmt.Fprint(j.stdout, e)
	}
}

// report prints the result and returns an error if it is wrong.
func (j *job) report(o outcome) error {
	if err := written(o.print(j.stdout, j.settings)); err != nil {
		return err
	}
	if o.report.Errors > 0 {
		return &failure{launch.ExitError, fmt.Errorf("the result is wrong: the verifier found %s: %s",
			counted(o.report.Errors, "error", "errors"), strings.Join(o.report.Wrong, "; "))}
	}
	return nil
}

// written wraps an error in writing a result.
func written(err error) error {
	if err == nil {
		return nil
	}
	return failed(fmt.Errorf("write the result: %w", err))
}

// formatOf is the type of a file, by its name.
func formatOf(file string) string { return strings.TrimPrefix(filepath.Ext(file), ".") }

// create writes a file.
func create(file string, write func(w io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
