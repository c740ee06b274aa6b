package appstest

import (
	"os"
	"time"
)

// soakVariable sets how long tests that soak go on, over each transport, such as 10s.
const soakVariable = "PEBBLES_SOAK"

// soakTime returns the time that PEBBLES_SOAK sets, or 0.
func soakTime() time.Duration {
	if text := os.Getenv(soakVariable); text != "" {
		return Must(time.ParseDuration(text))
	}
	return 0
}

// Soak returns the condition of a loop. It holds for the given number of rounds, or, if PEBBLES_SOAK is set, for that
// time from now on, such as 10s.
// Ranks whose rounds have collectives let one of them decide.
func Soak(rounds int) (more func(done int) bool) {
	if soakTime() == 0 {
		return func(done int) bool { return done < rounds }
	}
	end := time.Now().Add(soakTime())
	return func(int) bool { return time.Now().Before(end) }
}
