package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab/worlds"
)

// fuzz holds the flags of runs in simulated worlds.
type fuzz struct {
	command.Terminal
	on         bool
	seconds    float64
	worlds     uint64
	seed       uint64
	world      string
	saving     bool
	connecting bool
	json       bool
	quiet      bool
}

func addFuzz(c *cobra.Command, t command.Terminal) *fuzz {
	z := &fuzz{Terminal: t, seconds: 10}
	f := c.Flags()
	f.BoolVar(&z.on, "fuzz", false, "try the runtime in small worlds drawn by seed, each checked against a serial twin")
	f.Float64Var(&z.seconds, "seconds", z.seconds, "seconds of trying worlds")
	f.Uint64Var(&z.worlds, "worlds", 0, "maximum number of worlds to try (default limited by the time alone)")
	f.Uint64Var(&z.seed, "seed", 0, "seed of the worlds (default one drawn from the clock, and printed)")
	f.StringVar(&z.world, "world", "", "run one world alone, in the text form that a failure has printed")
	f.BoolVar(&z.saving, "checkpoints", false, "only worlds that save their state, and continue with other ranks")
	f.BoolVar(&z.connecting, "connections", false, "only worlds in which processes connect over a network with faults")
	f.BoolVar(&z.json, "json", false, "print one JSON object instead of words")
	f.BoolVarP(&z.quiet, "quiet", "q", false, "show no progress")
	return z
}

func (z *fuzz) start() error {
	if z.Begin != nil {
		return z.Begin(nil)
	}
	if z.world != "" {
		return z.replay()
	}
	switch {
	case z.saving && z.connecting:
		return errors.New("--checkpoints and --connections are for different worlds: give one of them")
	case !(z.seconds > 0):
		return errors.New("--seconds must be a positive number")
	case z.seconds > math.MaxInt64/float64(time.Second):
		return fmt.Errorf("--seconds %g is too large", z.seconds)
	}
	if z.seed == 0 {
		z.seed = uint64(time.Now().UnixNano())
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(z.seconds*float64(time.Second)))
	defer cancel()
	defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent))
	began := time.Now()
	if !z.quiet {
		fmt.Fprintf(z.Stderr, "seed %d\n", z.seed)
	}
	report, err := worlds.Try(ctx, worlds.Options{
		Seed: z.seed, Worlds: z.worlds, Saving: z.saving, Connecting: z.connecting, Workers: runtime.GOMAXPROCS(0),
		Progress: z.progress, Stuck: z.stuck,
	})
	if failing := z.failing(err); failing != nil {
		return failing
	}
	return z.report(report, time.Since(began))
}

// garbagePercent lets worlds run up to twice as fast: what they need is little, and goes when they end.
const garbagePercent = 800

// failing returns the error of a failed world, with the command lines that run it again.
func (z *fuzz) failing(err error) error {
	var f *worlds.Failure
	if !errors.As(err, &f) {
		return err
	}
	return &command.Failure{Status: launch.ExitError,
		Err: fmt.Errorf("seed %d: %w\nagain:  pebbles-lab sim --fuzz --world '%v'\n"+
			"drawn:  pebbles-lab sim --fuzz --world '%v'",
			z.seed, f.Err, f.World, f.Drawn)}
}

// stuck ends the command: a world that never looks at its network cannot be stopped.
func (z *fuzz) stuck(w worlds.World, err error) {
	fmt.Fprintf(z.Stderr, "pebbles-lab sim: seed %d: %v\nagain:  pebbles-lab sim --fuzz --world '%v'\n", z.seed, err, w)
	launch.Exit(launch.ExitError)
}

// progress prints the number of finished worlds.
func (z *fuzz) progress(r worlds.Report) {
	if !z.quiet {
		fmt.Fprintf(z.Stderr, "\r%s", command.Counted(r.Worlds, "world", "worlds"))
	}
}

func (z *fuzz) report(r worlds.Report, took time.Duration) error {
	if z.json {
		return command.Written(json.NewEncoder(z.Stdout).Encode(struct {
			worlds.Report
			Seconds float64 `json:"seconds"`
		}{r, took.Seconds()}))
	}
	frames := command.Counted(r.Frames, "frame", "frames")
	did := fmt.Sprintf("%s went on from a checkpoint; those that did not fail handled %s, each once, in %s",
		command.Grouped(r.Resumed), command.Counted(r.Pebbles, "pebble", "pebbles"), frames)
	if z.connecting {
		did = fmt.Sprintf("%s; %s arrived, each once",
			command.Counted(r.Crossed, "connection was dialled from both ends", "connections were dialled from both ends"),
			frames)
	}
	_, err := fmt.Fprintf(z.Stdout,
		"%s passed in %s (%.0f a second), seed %d: %s ended with the error that their faults must lead to;\n%s\n",
		command.Counted(r.Worlds, "world", "worlds"), command.SecondsText(took.Seconds()),
		float64(r.Worlds)/took.Seconds(), r.Seed, command.Grouped(r.Failed), did)
	return command.Written(err)
}

// replay runs one world.
func (z *fuzz) replay() error {
	w, err := worlds.Parse(z.world)
	if err != nil {
		return err
	}
	o, err := w.Run()
	if err != nil {
		return &command.Failure{Status: launch.ExitError, Err: fmt.Errorf("%w\nworld:  %v", err, w)}
	}
	_, err = fmt.Fprintf(z.Stdout, "passed: %v\n%s, %s, %v of virtual time\n", w, command.Counted(uint64(o.Pebbles),
		"pebble", "pebbles"),
		command.Counted(o.Stats.Frames, "frame", "frames"), command.SecondsText(o.Stats.Seconds))
	return command.Written(err)
}
