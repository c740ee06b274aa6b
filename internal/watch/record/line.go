package record

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// version is the version of the format. A reader may lack fields of a later one.
const version = 2

// line is a line of a file. Exactly one of its fields is set.
type line struct {
	Job    *jobLine    `json:"job,omitempty"`
	Second *secondLine `json:"second,omitempty"`
	Rank   *rankLine   `json:"rank,omitempty"`
	Failed *failedLine `json:"failed,omitempty"`
	End    *endLine    `json:"end,omitempty"`
	Launch *launchLine `json:"launch,omitempty"`
	Ended  *endedLine  `json:"ended,omitempty"`
}

// jobLine begins each file of a process.
type jobLine struct {
	Version   int               `json:"version"`
	Program   string            `json:"program"`
	ID        string            `json:"id"`
	Ranks     int               `json:"ranks"`
	Transport string            `json:"transport"`
	Settings  map[string]string `json:"settings"`
	Started   time.Time         `json:"started"`
	Process   int               `json:"process"`
	Host      string            `json:"host"`
	PID       int               `json:"pid"`
	First     int               `json:"first"`
	Last      int               `json:"last"`
}

// secondLine is the state of a process in one second.
type secondLine struct {
	At       time.Time `json:"at"`
	Still    float64   `json:"still_seconds,omitempty"`
	Verdict  string    `json:"verdict,omitempty"`
	Resident int64     `json:"resident_bytes,omitempty"`
	Held     int64     `json:"held_bytes,omitempty"` // by the process's ranks
	Bound    int64     `json:"bound_bytes,omitempty"`
	Skipped  uint64    `json:"skipped,omitempty"` // seconds before this one, skipped on a slow disk
	Lost     uint64    `json:"lost,omitempty"`    // batches before this one, refused by the disk
	Why      string    `json:"why,omitempty"`     // the disk's error
}

// rankLine is the state of a rank in one second.
type rankLine struct {
	state.Rank

	Dropped int `json:"dropped,omitempty"` // events without room, or that the rank itself did not keep
}

// failedLine is the cause of the job's failure, as reported by one process.
type failedLine struct {
	At    time.Time `json:"at"`
	Of    int       `json:"of"` // process that caused it; -1 for none
	Cause string    `json:"cause"`
}

// endLine is the end of a process or of the launcher.
type endLine struct {
	At  time.Time `json:"at"`
	How string    `json:"how"` // "" means in order
}

// launchLine begins the launcher's file.
type launchLine struct {
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	Program   string    `json:"program"`
	Processes int       `json:"processes"`
	At        time.Time `json:"at"`
}

// endedLine is the end of a process, as reported by the launcher.
type endedLine struct {
	At      time.Time `json:"at"`
	Process int       `json:"process"`
	How     string    `json:"how"`
	First   bool      `json:"first,omitempty"`
}

// lineMax bounds a line for readers, in bytes.
const lineMax = 256 << 10

// appendLine appends a line. It fails for numbers that JSON cannot represent.
func appendLine(to []byte, l line) ([]byte, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return to, fmt.Errorf("encode a line of the record: %w", err)
	}
	return append(append(to, text...), '\n'), nil
}

// causeMax bounds the cause of a failure, in bytes.
const causeMax = 2000

// shortened cuts a text to causeMax.
func shortened(text string) string {
	if len(text) <= causeMax {
		return text
	}
	return text[:causeMax] + "…"
}

// stamp converts a time to the form of lines: JSON has no years beyond 9999.
func stamp(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.Truncate(time.Millisecond)
}
