package netio

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrDamaged is in the chain of an error about a damaged frame: its checksum is wrong, its header is invalid, or it
// acknowledges a frame that is not in flight.
var ErrDamaged = errors.New("damaged frame")

// ErrFinished is in the chain of an error about a frame for a process that has ended normally.
var ErrFinished = errors.New("process has finished, but frames are still sent to it")

// LostError reports the loss of another process of the job: its connection broke, or it was silent for too long.
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

// AbortError reports that another process has ended the job, and its reason.
type AbortError struct {
	Process int
	Reason  string
}

func (e *AbortError) Error() string {
	return fmt.Sprintf("process %d ended the job: %s", e.Process, e.Reason)
}

// AbsentError reports the processes that were not connected with this one at the end of its start.
type AbsentError struct {
	Processes []int
	Addresses []string // their addresses, in the order of Processes
	Cause     error    // has context.DeadlineExceeded in its chain if the time for the start has passed
}

func (e *AbsentError) Error() string {
	var names []string
	for i, process := range e.Processes {
		names = append(names, fmt.Sprintf("process %d (%s)", process, e.Addresses[i]))
	}
	return fmt.Sprintf("wait for %s: %v", strings.Join(names, ", "), e.Cause)
}

func (e *AbsentError) Unwrap() error { return e.Cause }

// Blamed returns the processes that err is about, and the cause: a lost process, or the processes that did not connect
// in time. It returns nil if err is about no process.
func Blamed(err error) (processes []int, cause error) {
	var lost *LostError
	var absent *AbsentError
	switch {
	case errors.As(err, &lost):
		return []int{lost.Process}, lost.Cause
	case errors.As(err, &absent) && errors.Is(absent, context.DeadlineExceeded):
		return absent.Processes, absent.Cause
	}
	return nil, nil
}

// Followed reports whether another process has caused err: by its failure, its loss, or its absence at the start.
func Followed(err error) bool {
	var aborted *AbortError
	processes, _ := Blamed(err)
	return len(processes) > 0 || errors.As(err, &aborted)
}
