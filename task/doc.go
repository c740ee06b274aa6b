// Package task overlaps waiting with work: each rank runs thousands of tasks, one at a time, and while a task waits for
// an answer the others run (Grappa, section 4). Package delegate has the operations that tasks wait for.
//
//	s := task.New(r)
//	gate := s.NewGate()
//	return s.Run(func() {
//		s.Go(func() {
//			gate.Wait()
//			fmt.Println("goes on")
//		})
//		s.Go(func() {
//			fmt.Println("opens")
//			gate.Open()
//		})
//	})
//
// Tasks run when the body of an epoch has returned, between frames, and never inside a call that waits. A task that has
// begun has a coroutine, and stays on its rank: a rank's data belongs to one of its tasks or handlers at a time, and
// needs no lock, but may have changed when a call that waits returns. A task is never preempted: one that computes for
// long calls Yield.
//
// A task may send. Its sends never run a handler: pebbles for its own rank are queued, and while a send waits for room
// other tasks run. A task must not block its goroutine (on a channel, a mutex, a file), which would stop its rank, and
// must not call runtime.LockOSThread, which ends the program. When the job fails, all tasks unwind: calls that wait
// don't return, and deferred functions run.
package task
