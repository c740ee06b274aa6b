// Package delegate runs operations at the owners of their data, and returns the answers to tasks that wait for them
// (Grappa, section 5).
//
//	s, tickets := task.New(r), 0
//	draw := delegate.New(s, "draw", distribution.Cyclic(1, r.Size()), func(struct{}) uint64 { return 0 },
//		func(struct{}) int { tickets++; return tickets })
//	last := 0
//	if err := s.Run(func() {
//		for range 10 {
//			s.Go(func() { last = max(last, draw.Call(struct{}{})) })
//		}
//	}); err != nil {
//		return err
//	}
//
// A question goes to the owner of its key. A function answers it there as a handler: on the owner's goroutine, one at a
// time, so that each operation is atomic. It must not wait, so it must not call, but it may send. Questions and answers
// are pebbles of plain data: they are coalesced, routed and counted, and they keep the epoch open until the last answer
// has arrived. A question of a rank to itself is answered at once.
//
// [Delegate.Call] is for thousands of tasks with one waiting call each. Many questions with one wait, by
// [Delegate.CallAll], cost a fraction each. No method returns an error: when the job fails, a call unwinds its task, as
// a send does.
package delegate
