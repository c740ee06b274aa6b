package appstest

import (
	"os"
	"time"
)

// soakVariable sets how long tests that soak go on, over each transport, such as 10s.
const soakVariable = "PEBBLES_SOAK"

// Soak makes the condition of a loop: for so many rounds, or from now on for as long as PEBBLES_SOAK says, such as 10s.
// Ranks whose rounds have collectives let one of them decide.
func Soak(rounds int) (more func(done int) bool) {
	text := os.Getenv(soakVariable)
	if text == "" {
		return func(done int) bool { return done < rounds }
	}
	end := time.Now().Add(Must(time.ParseDuration(text)))
	return func(int) bool { return time.Now().Before(end) }
}
