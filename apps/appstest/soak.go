package appstest

import (
	"os"
	"time"
)

// soakVariable sets how long tests that soak go on, over each transport, such as 10s.
const soakVariable = "PEBBLES_SOAK"

// Soak returns the condition of a loop. It holds for the given number of rounds, or, if PEBBLES_SOAK is set, for that
// time from now on, such as 10s.
// Ranks whose rounds have collectives let one of them decide.
func Soak(rounds int) (more func(done int) bool) {
	text := os.Getenv(soakVariable)
	if text == "" {
		return func(done int) bool { return done < rounds }
	}
	end := time.Now().Add(Must(time.ParseDuration(text)))
	return func(int) bool { return time.Now().Before(end) }
}
