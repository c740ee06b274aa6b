package engine

import "github.com/activepebbles/pebbles/internal/watch/board"

// AwaitCredit lets the main function wait until a lane that has just sent a frame has no backlog.
func (t *Target) AwaitCredit(lane int) {
	t.Rank.Loop.Progress()
	if !t.outbox.Waits(lane) {
		return
	}
	t.Rank.Publisher.board.WaitsForLink(board.ForCredit, t.Name, t.Rank.InJob(t.outbox.Plan.Lanes[lane]))
	for idle := 0; t.outbox.Waits(lane); {
		idle = t.Rank.Loop.wait(idle)
	}
	t.Rank.Publisher.board.Waited()
}

// AwaitBudget lets the main function wait until another frame of the given size may be in flight.
func (t *Target) AwaitBudget(bytes int) {
	if t.Fits(bytes) {
		return
	}
	t.Rank.Publisher.board.WaitsForLink(board.ForRoom, t.Name, -1)
	defer t.Rank.Publisher.board.Waited()
	for idle := 0; !t.Fits(bytes); idle++ {
		t.Count.Waits++
		if t.Rank.Loop.Turn() {
			idle = -1
			continue
		}
		t.Rank.Loop.Rest(idle)
	}
}

// AwaitCredits lets the main function wait, before a send that must not wait, until no frame waits for credit, and
// another one may be in flight.
func (t *Target) AwaitCredits() {
	if t.outbox.AnyWaits() {
		t.Rank.Publisher.board.WaitsForLink(board.ForCredit, t.Name, -1)
		for idle := 0; t.outbox.AnyWaits(); {
			idle = t.Rank.Loop.wait(idle)
		}
		t.Rank.Publisher.board.Waited()
	}
	t.AwaitBudget(t.outbox.FirstBytes())
}
