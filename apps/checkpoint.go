package apps

import (
	"fmt"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Steps are the steps of an application's kernel. A checkpoint holds the state between two steps. The zero Steps makes
// no checkpoints.
type Steps struct {
	// Saving is called on all ranks before a save, to update the parts; nil: they are up to date. The kernel's tally
	// must include all pebbles that it sends.
	Saving func() error

	rank   *pebble.Rank
	kept   *checkpoint.Checkpoint // nil: none
	done   int
	before time.Duration // time of the steps of earlier runs
	spent  time.Duration // time of all steps, at a save
	begun  time.Duration // start of Run, on the job's clock
}

// Restore describes the state between two steps, and reports whether it has restored the newest checkpoint. Call it in
// the phase Load, because its pebbles do not belong to the kernel. All ranks call it once, with the same arguments.
// Without a folder for checkpoints it does nothing.
func (s *Steps) Restore(r *pebble.Rank, name string, seed uint64, parts ...checkpoint.Part) (restored bool, err error) {
	if !Saves(r) {
		return false, nil
	}
	s.rank = r
	s.kept = checkpoint.New(r, name, append(parts, checkpoint.Argument("seed", seed),
		checkpoint.Value("steps", &s.done), checkpoint.Value("time", &s.spent))...)
	restored, err = s.kept.Restore()
	s.before = s.spent
	if restored && r.ID() == 0 {
		r.Config().Log.Warn(name+" continues from a checkpoint", "folder", r.Config().Checkpoints.Folder, "steps", s.done)
	}
	return restored, err
}

// Saves reports whether a job has a folder for checkpoints.
func Saves(r *pebble.Rank) bool { return r.Config().Checkpoints.Folder != "" }

// CheckSaves returns an error for a job with a folder for checkpoints if this way of the application makes none. what
// names the application and the kind of way, such as "bfs: mode". do lists the ways that make checkpoints.
func CheckSaves[W ~string](r *pebble.Rank, what string, way W, do ...W) error {
	if !Saves(r) || slices.Contains(do, way) {
		return nil
	}
	return fmt.Errorf("%s %s makes no checkpoints: choose %s, or no folder for checkpoints", what, way, Names(do))
}

// Within returns an error if earlier runs have made more steps than this one may. steps names them.
func (s *Steps) Within(most int, steps string) error {
	if s.done <= most {
		return nil
	}
	return fmt.Errorf("the checkpoint has %d %s, and %d were asked for: ask for as many or more, or name another folder",
		s.done, steps, most)
}

// Inputs is the part of a checkpoint for input files as rank 0 finds them: a checkpoint is refused if they have changed
// since. files are names and patterns, as ingest.Open takes them. All ranks call it, between epochs.
func Inputs(r *pebble.Rank, files []string) (checkpoint.Part, error) {
	found := ""
	if !Saves(r) {
		return checkpoint.Argument("input", found), nil
	}
	if r.ID() == 0 {
		found = ingest.Describe(files)
	}
	found, err := pebble.Broadcast(r, 0, found, pebble.Strings{})
	return checkpoint.Argument("input", found), err
}

// Done returns the number of completed steps, in this run and in earlier ones.
func (s *Steps) Done() int { return s.done }

// Before returns the seconds that earlier runs took for their steps. A report adds them to the seconds of this run.
func (s *Steps) Before() float64 { return s.before.Seconds() }

// Run calls step until it reports that no more steps follow, and saves the state before a step if a save is due. Call
// it in the phase Kernel. It ends at the first error, and with pebble.ErrPreempted if the job must make room. Another
// Run then begins with the first step.
func (s *Steps) Run(step func(n int) (more bool, err error)) error {
	if s.kept != nil {
		s.begun = s.rank.Now()
	}
	if s.done == 0 {
		s.before = 0 // of another Run
	}
	for {
		if err := s.save(); err != nil {
			return err
		}
		switch more, err := step(s.done); {
		case err != nil:
			return err
		case !more:
			s.done = 0
			return nil
		}
		s.done++
	}
}

// save saves the state if a save is due.
func (s *Steps) save() error {
	if s.kept == nil || !s.kept.Due() {
		return nil
	}
	if s.Saving != nil {
		if err := s.Saving(); err != nil {
			return err
		}
	}
	s.spent = s.before + s.rank.Now() - s.begun
	return s.kept.Save()
}
