package netio

import (
	"errors"
	"fmt"
)

// ErrDamaged is in the chain of the error that tells of a frame whose checksum is wrong, whose header makes no sense where
// it arrived, or that acknowledges what is not under way.
var ErrDamaged = errors.New("damaged frame")

// ErrFinished is in the chain of the error that tells of a frame for a process that had ended in order already.
var ErrFinished = errors.New("process has finished, but frames are still sent to it")

// LostError says that another process of the job is gone: its connection broke, or it was silent for too long.
type LostError struct {
	Process     int
	First, Last int // its ranks: First..Last-1
	Cause       error
}

func (e *LostError) Error() string {
	ranks := fmt.Sprintf("ranks %d-%d", e.First, e.Last-1)
	if e.Last-e.First == 1 {
		ranks = fmt.Sprintf("rank %d", e.First)
	}
	return fmt.Sprintf("lost process %d (%s): %v", e.Process, ranks, e.Cause)
}

func (e *LostError) Unwrap() error { return e.Cause }

// AbortError says that another process has ended the job, and why.
type AbortError struct {
	Process int
	Reason  string
}

func (e *AbortError) Error() string {
	return fmt.Sprintf("process %d ended the job: %s", e.Process, e.Reason)
}
