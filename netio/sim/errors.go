package sim

import (
	"errors"
	"fmt"
	"time"
)

// HangError is the error of a job whose ranks all wait while nothing in flight could wake one.
type HangError struct {
	At      time.Duration // of virtual time
	Waiting []int         // the first few waiting ranks
	Ranks   int           // ranks that have not ended
}

func (e *HangError) Error() string {
	return fmt.Sprintf("sim: the job hangs at %v of virtual time: all %d ranks that have not ended wait, such as %v, "+
		"and no frame is in flight: a rank waits for a message that no rank sends", e.At, e.Ranks, e.Waiting)
}

// Hangs reports true: watchers of a job recognize a hang by this method.
func (e *HangError) Hangs() bool { return true }

// LimitError is the error of a job that has exceeded a limit of its simulation.
type LimitError struct {
	What  string // "virtual time" or "turns"
	Limit string
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("sim: the job has passed its limit of %s, %s: raise the limit, or look for ranks that never end",
		e.What, e.Limit)
}

// ErrMissing is in the chain of a netio.LostError when a reliable link has lost a frame.
var ErrMissing = errors.New("a frame is missing")

// ErrSilent is in the chain of a netio.LostError when a process was silent for the silence limit.
var ErrSilent = errors.New("no sign of life")

// ErrBroken is in the chain of a netio.LostError when a process has died and its connections broke.
var ErrBroken = errors.New("connection broken")

// ErrDied is the error of a process that the simulation killed.
var ErrDied = errors.New("sim: this process has died, as the faults of the simulation say")
