package limits

import (
	"fmt"
	"time"
)

// Switches hands a number from one goroutine to another and back again, as ranks of one process hand over their core.
type Switches struct{ Rounds int }

// Run counts the rounds. Each hand-over adds 1.
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
	r.chased(s.Rounds, 8, time.Since(start))
	close(there)
	if n != 2*uint64(s.Rounds) {
		r.Errors = 1
	}
	return r, nil
}
