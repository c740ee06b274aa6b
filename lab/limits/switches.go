package limits

import (
	"fmt"
	"time"
)

// Switches passes a number from one goroutine to another and back: the switches between ranks of one process that share
// a core.
type Switches struct{ Rounds int }

// Run counts the rounds. Each switch adds 1.
func (s Switches) Run() (Report, error) {
	if s.Rounds < 1 {
		return Report{}, fmt.Errorf("%d rounds: give one or more", s.Rounds)
	}
	there, back := make(chan uint64), make(chan uint64)
	go func() {
		for n := range there {
			back <- n + 1
		}
	}()
	n := uint64(0)
	start := time.Now()
	for range s.Rounds {
		there <- n + 1
		n = <-back
	}
	r := Report{App: "limit-switch", Procs: 1}
	r.pingPong(s.Rounds, 8, time.Since(start))
	close(there)
	if n != 2*uint64(s.Rounds) {
		r.Errors = 1
	}
	return r, nil
}
