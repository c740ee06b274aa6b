package task

import "fmt"

// WaitError is the end of a job in which tasks of a rank wait when every pebble has been handled: nothing can come any
// more that would let them go on.
type WaitError struct {
	Waiting  int    // tasks that have begun
	Call     string // in which one of them waits
	NotBegun int    // tasks that found no worker
	Workers  int    // that there may be
}

func (e *WaitError) Error() string {
	text := fmt.Sprintf("task: deadlock: %d tasks wait, one of them in %s, and nothing is in flight that could wake them",
		e.Waiting, e.Call)
	if e.Waiting == 1 {
		text = fmt.Sprintf("task: deadlock: a task waits in %s, and nothing is in flight that could wake it", e.Call)
	}
	if e.NotBegun > 0 {
		text += fmt.Sprintf("; %d more have not begun because all %d workers are taken: "+
			"give task.Workers more, or let fewer tasks wait for others",
			e.NotBegun, e.Workers)
	}
	return text
}
