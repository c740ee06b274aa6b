package launch

import (
	"fmt"
	"strconv"
	"syscall"
)

// Result is the outcome of a job.
type Result struct {
	Job      string    // its id
	Outcomes []Outcome // by process
	Order    []int     // processes, in the order of their ends
	Status   int       // for the command that ran the job: 0, or the status of the first failure
}

// Outcome is the end of one process.
type Outcome struct {
	Process     int
	First, Last int    // its ranks: First..Last-1
	Host        string // "" is this machine
	Started     bool   // false: the job failed before its turn; nothing below is set then
	Joined      bool   // it has joined the job
	Status      int    // its exit status; 128+n if signal n ended it
	Signal      syscall.Signal
	missed      bool // ssh did not reach its host, and was not sent a signal
	signalled   bool // the launcher sent it a signal before it ended
}

// Failure returns the status of a command whose job failed by this exit: its own, but never 0 or [ExitFollower].
func (e Outcome) Failure() int {
	if e.Status == 0 || e.Status == ExitFollower {
		return ExitError
	}
	return e.Status
}

// String describes the end of the process.
func (e Outcome) String() string { return e.describe() }

// name returns the process's name in messages.
func (e Outcome) name() string {
	word := "ranks"
	if e.Last-e.First == 1 {
		word = "rank"
	}
	text := fmt.Sprintf("process %d (%s %s", e.Process, word, e.ranks())
	if e.Host != "" {
		text += ", host " + e.Host
	}
	return text + ")"
}

// describe describes the end of the process.
func (e Outcome) describe() string {
	switch {
	case e.Signal != 0:
		return fmt.Sprintf("%s was killed by signal %d (%v)", e.name(), int(e.Signal), e.Signal)
	case e.Status > 128 && e.Status < 128+65:
		n := syscall.Signal(e.Status - 128)
		return fmt.Sprintf("%s ended with status %d (signal %d, %v)", e.name(), e.Status, int(n), n)
	}
	return fmt.Sprintf("%s ended with status %d", e.name(), e.Status) + e.hint()
}

// hint explains a status with a conventional meaning.
func (e Outcome) hint() string {
	switch {
	case e.Status == ExitFollower:
		return " because another one had failed, and none says that it was the one"
	case e.Host == "":
		return ""
	case e.Status == 255:
		return ": ssh could not reach or has lost the host, its message is above; try `ssh -o BatchMode=yes " + e.Host +
			" true`"
	case e.Status == 127:
		return ": the program was not found there"
	case e.Status == 126:
		return ": the program can't be executed there"
	}
	return ""
}

func (e Outcome) ranks() string {
	if e.Last-e.First == 1 {
		return strconv.Itoa(e.First)
	}
	return fmt.Sprintf("%d-%d", e.First, e.Last-1)
}

// FailedError is the error of a job that failed because one of its processes did.
type FailedError struct {
	First  Outcome // the first cause
	Lost   string  // the complaint of another process about First, if only others have the cause; else ""
	Others int     // processes that ended because of it
}

func (e *FailedError) Error() string {
	text := e.First.describe()
	switch {
	case e.Lost != "":
		text = fmt.Sprintf("%s was lost (%s)", e.First.name(), e.Lost)
	case e.First.Status == 0 && !e.First.Joined:
		text += " before it joined the job: all processes of a job must join it, or none"
	case e.First.Status == 0:
		text += " while others still needed it"
	}
	if e.Others > 0 && e.Lost == "" {
		text += " first"
	}
	switch e.Others {
	case 0:
		return text
	case 1:
		return text + "; the other one ended with it"
	}
	return fmt.Sprintf("%s; the other %d ended with it", text, e.Others)
}
