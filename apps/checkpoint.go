package apps

import (
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/pebble"
)

// Steps are the steps of an application's kernel. A checkpoint holds its state between two of them.
type Steps struct {
	done int
	kept *checkpoint.Checkpoint
}

// NewSteps describes the state between two steps, and restores the newest checkpoint. It is for the end of the phase
// Load: what it sends is no pebble of the kernel. All ranks call it alike.
func NewSteps(r *pebble.Rank, name string, seed uint64, parts ...checkpoint.Part) (*Steps, error) {
	s := &Steps{}
	parts = append(parts, checkpoint.Argument("seed", seed), checkpoint.Value("steps", &s.done))
	s.kept = checkpoint.New(r, name, parts...)
	_, err := s.kept.Restore()
	return s, err
}

// Done is how many steps have been done, also in runs before.
func (s *Steps) Done() int { return s.done }

// Run does steps until step reports that there are no more, and saves the state ahead of a step when that is due. It is
// for the phase Kernel. It ends at the first error, and with pebble.ErrPreempted when the job is to make room.
func (s *Steps) Run(step func(n int) (more bool, err error)) error {
	for {
		if s.kept.Due() {
			if err := s.kept.Save(); err != nil {
				return err
			}
		}
		more, err := step(s.done)
		if err != nil || !more {
			return err
		}
		s.done++
	}
}
