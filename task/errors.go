package task

import "fmt"

// WaitError ends a job if tasks of a rank still wait after every pebble was handled, so that nothing can wake them.
type WaitError struct {
	Waiting  int    // tasks that have begun
	Call     string // call in progress in one of them
	NotBegun int    // tasks that found no worker
	Workers  int    // limit on workers
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
