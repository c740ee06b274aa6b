package pebble

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"time"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/values"
)

// Checkpoints sets where and when a program saves its state: see package checkpoint. It is equal on all ranks.
type Checkpoints struct {
	// Folder holds the checkpoints. "" is none: then nothing is saved or restored. With a folder, a program that makes
	// no checkpoint fails at its end.
	Folder string
	Every  time.Duration // interval between checkpoints; 0 is 10 minutes, negative is never
	Limit  time.Duration // time until the job saves its state and ends with status 85; 0 and below is never
	Zstd   bool          // compress the files
	// Copy lets Save return when the files are in memory. The ranks write them while they compute. Until its file is
	// written, a rank holds a copy of it in memory.
	Copy bool
}

// checkpointGrace is the grace of a job with checkpoints if Config.Grace is 0. It is less than the 30 s of Kubernetes
// and Slurm.
const checkpointGrace = 25 * time.Second

// checkpointsEvery is the default of Checkpoints.Every.
const checkpointsEvery = 10 * time.Minute

// grace returns the time that the program may go on after SIGTERM.
func (c *Config) grace() time.Duration {
	if c.Checkpoints.Folder != "" {
		return cmp.Or(c.Grace, checkpointGrace)
	}
	return c.Grace
}

// WithSignals returns a context for a program that calls [RunLaunched] itself. The signals that end a job under [Main]
// end the context; those of a preemption notify c's job. Call stop when the job has ended.
func (c *Config) WithSignals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, c.started.preempted, stop = launch.Preemptible(ctx, c.grace())
	return ctx, stop
}

// checkpoints adds the flags of checkpoints.
func (o *Options) checkpoints(fs *flag.FlagSet) {
	c := &o.config.Checkpoints
	fs.StringVar(&c.Folder, "checkpoint", "", "`folder` for checkpoints, if the program makes any; the job "+
		"continues from the newest one (default none)")
	fs.Var(value{func() string { return values.WaitText(cmp.Or(c.Every, checkpointsEvery)) },
		func(text string) (err error) {
			c.Every, err = values.Wait(text)
			return err
		}}, "checkpoint-every", "`time` from one checkpoint to the next, or never")
	fs.BoolVar(&c.Zstd, "checkpoint-zstd", false, "compress checkpoints")
	fs.BoolVar(&c.Copy, "checkpoint-copy", false, "write checkpoints from memory while the program computes")
	fs.Var(waiting(&c.Limit), "time-limit", "`time` after which the program makes a checkpoint and ends with status 85, or never")
}

// check returns an error for settings without a folder, which would have no effect.
func (c Checkpoints) check() error {
	if c.Folder == "" && (c.Every > 0 || c.Limit > 0 || c.Zstd || c.Copy) {
		return errors.New("checkpoints have a time, a limit, a copy or a compression, but no folder: name one " +
			"(-checkpoint), or leave the other settings out")
	}
	return nil
}

// errNoCheckpoint is the error of a program that was given a folder for checkpoints and made none.
var errNoCheckpoint = errors.New("pebble: run: a folder for checkpoints was given, and the program has made none: " +
	"leave -checkpoint out, or describe the program's state by package checkpoint")

// ErrPreempted is the error of a job that has saved its state and ended in order, after a signal of preemption or at
// its time limit. Checkpoint.Save of package checkpoint returns it; a rank's function that returns it ends as one that
// returns nil. [Run] then returns it, and [Main] ends the process with status 85. Started again with the same
// arguments, the program goes on from its checkpoint.
var ErrPreempted = launch.ErrPreempted
