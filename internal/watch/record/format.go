package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// version is that of the format. A reader of an older one may miss what is new.
const version = 1

// What lines are.
const (
	jobKind    = "job"
	secondKind = "second"
	rankKind   = "rank"
	failedKind = "failed"
	endKind    = "end"
	launchKind = "launch"
	endedKind  = "ended"
)

// jobLine says whose a file is.
type jobLine struct {
	Version   int               `json:"version"`
	Program   string            `json:"program"`
	ID        string            `json:"id"`
	Ranks     int               `json:"ranks"`
	Transport string            `json:"transport"`
	Settings  map[string]string `json:"settings"`
	LeftOut   int               `json:"settings_left_out,omitempty"`
	Started   time.Time         `json:"started"`
	Process   int               `json:"process"`
	Host      string            `json:"host"`
	PID       int               `json:"pid"`
	First     int               `json:"first"`
	Last      int               `json:"last"`
	Counters  []string          `json:"counters"`
	Seconds   []string          `json:"seconds"`
}

// secondLine is what a process says once a second.
type secondLine struct {
	N        uint64    `json:"n"` // from 1; those that were not written are not counted
	At       time.Time `json:"at"`
	Still    float64   `json:"still_seconds,omitempty"`
	Verdict  string    `json:"verdict,omitempty"`
	Resident int64     `json:"resident_bytes,omitempty"`
	Held     int64     `json:"held_bytes,omitempty"` // by its ranks
	Bound    int64     `json:"bound_bytes,omitempty"`
	Skipped  uint64    `json:"skipped,omitempty"` // seconds before this one that were not written: the disk was slow
	Lost     uint64    `json:"lost,omitempty"`    // batches before this one that the disk refused
	Why      string    `json:"why,omitempty"`     // it refused them
}

// rankLine is what is new of a rank.
type rankLine struct {
	N        uint64       `json:"n"` // of the second
	Rank     int          `json:"rank"`
	Whole    bool         `json:"whole,omitempty"`
	Doing    state.Doing  `json:"doing"`
	Target   string       `json:"target,omitempty"`
	Wait     string       `json:"wait,omitempty"`
	For      *int         `json:"for,omitempty"` // nil is -1
	Still    float64      `json:"still_seconds,omitempty"`
	Counters []int64      `json:"counters,omitempty"`
	Seconds  []int64      `json:"seconds_ms,omitempty"`
	Call     *state.Call  `json:"call,omitempty"`
	Status   *string      `json:"status,omitempty"`
	Memory   []int64      `json:"memory,omitempty"`
	Links    []state.Link `json:"links,omitzero"`
	Stack    []string     `json:"stack,omitzero"`
	Events   []eventLine  `json:"events,omitempty"`
	Dropped  int          `json:"dropped,omitempty"`
	Overrun  bool         `json:"overrun,omitempty"`
}

// eventLine is a state.Event.
type eventLine struct {
	At     float64 `json:"at"`
	End    float64 `json:"end,omitempty"`
	Kind   string  `json:"kind"`
	Name   string  `json:"name,omitempty"`
	Site   string  `json:"site,omitempty"`
	Number uint64  `json:"number,omitempty"`
}

// failedLine says why the job fails, as a process sees it.
type failedLine struct {
	At    time.Time `json:"at"`
	Of    int       `json:"of"` // the process whose fault it is; -1 when it is nobody's
	Cause string    `json:"cause"`
}

// endLine says how a process or the launcher has ended.
type endLine struct {
	At  time.Time `json:"at"`
	How string    `json:"how"`
}

// launchLine says whose a launcher's file is.
type launchLine struct {
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	Program   string    `json:"program"`
	Processes int       `json:"processes"`
	At        time.Time `json:"at"`
}

// endedLine says how a process has ended, as the launcher saw it.
type endedLine struct {
	At      time.Time `json:"at"`
	Process int       `json:"process"`
	How     string    `json:"how"`
	First   bool      `json:"first,omitempty"`
}

// lineMax bounds what of a line its CRC covers.
const lineMax = 64 << 10

// headMax is the longest that a line's CRC and length are, with their spaces.
const headMax = 8 + 1 + 5 + 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendLine appends a line of a kind. What it says must be what package json encodes: no NaN is among its numbers.
func appendLine(to []byte, kind string, says any) []byte {
	var text bytes.Buffer
	text.WriteString(kind + " ")
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // people read it
	if err := encoder.Encode(says); err != nil {
		panic(fmt.Sprintf("record: %s line: %v", kind, err)) // the types of lines have nothing that fails
	}
	covered := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	to = fmt.Appendf(to, "%08x %d ", crc32.Checksum(covered, castagnoli), len(covered))
	return append(append(to, covered...), '\n')
}

// parseHead takes a line's CRC and length apart. It accepts only what appendLine writes, so that no damage passes.
func parseHead(head []byte) (sum uint32, length, size int, ok bool) {
	first, rest, ok := bytes.Cut(head, []byte(" "))
	second, _, more := bytes.Cut(rest, []byte(" "))
	if !ok || !more || len(first) != 8 || len(second) == 0 || len(second) > 5 {
		return 0, 0, 0, false
	}
	crc, err := strconv.ParseUint(string(first), 16, 32)
	if err != nil {
		return 0, 0, 0, false
	}
	length, err = strconv.Atoi(string(second))
	size = len(first) + len(second) + 2
	strict := fmt.Sprintf("%08x %d ", crc, length) == string(head[:size])
	return uint32(crc), length, size, err == nil && strict && length > 0 && length <= lineMax
}

// Bounds of texts, in bytes of JSON.
const (
	nameMax    = 40
	waitMax    = 80
	statusMax  = 120
	verdictMax = 240
	causeMax   = 2000
	valueMax   = 200
)

// words makes one line of a text, of at most limit bytes of JSON: terminals and editors show it as it is.
func words(text string, limit int) string {
	var b strings.Builder
	size, cut := 0, 0
	for _, c := range text {
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			c = ' ' // Cf has what turns the direction of a text around
		}
		size += utf8.RuneLen(c)
		if c == '"' || c == '\\' {
			size++
		}
		if size > limit {
			return b.String()[:cut] + "…"
		}
		b.WriteRune(c)
		if size <= limit-len("…") {
			cut = b.Len()
		}
	}
	return b.String()
}

// rounded keeps millionths, and makes 0 of what JSON can't hold.
func rounded(x float64) float64 {
	if math.IsNaN(x) || math.Abs(x) > 1e15 {
		return 0
	}
	return math.Round(x*1e6) / 1e6
}

// stamp is a time as lines have it.
func stamp(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{} // JSON has no others
	}
	return t.Truncate(time.Millisecond)
}
