package command

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/activepebbles/pebbles/pebble"
)

// progress is called by an application on rank 0: done of a total of units, such as "edges read", are finished. A total
// of 0 means unknown. It is nil on other ranks.
type progress func(what string, done, total uint64)

// bar draws progress on a terminal after the first second. Only rank 0's goroutine draws. clear follows the job.
type bar struct {
	to      io.Writer // nil: no terminal, or --quiet
	app     string
	started time.Time
	what    string    // unit of the count
	total   uint64    // of units
	begun   time.Time // begin of this count
	drawn   bool      // the bar is on the terminal
	last    time.Time // of the last drawing
	said    time.Time // last status for watchers of the job
}

const (
	drawAfter = time.Second            // before the first drawing
	throttle  = 100 * time.Millisecond // between two drawings
	gauge     = 14                     // columns for the percentage and the shortest bar
)

func newBar(w io.Writer, app string, quiet bool) *bar {
	b := &bar{app: app, started: time.Now()}
	if file, ok := w.(*os.File); ok && !quiet && term.IsTerminal(int(file.Fd())) {
		b.to = w
	}
	return b
}

// progress returns the function that the application on rank r calls. It also sets the status of the rank for watchers.
func (b *bar) progress(r *pebble.Rank) progress {
	if r.ID() != 0 {
		return nil
	}
	return func(what string, done, total uint64) {
		if now := time.Now(); now.Sub(b.said) >= throttle {
			r.Status(b.status(what, done, total))
			b.said = now
		}
		b.draw(what, done, total)
	}
}

// draw shows progress. Each phase has its own unit and its own bar. Errors in drawing are ignored.
func (b *bar) draw(what string, done, total uint64) {
	if b.to == nil {
		return
	}
	now := time.Now()
	if what != b.what || total != b.total {
		b.clear()
		b.what, b.total, b.begun = what, total, now
	}
	if now.Sub(b.started) < drawAfter || b.drawn && now.Sub(b.last) < throttle {
		return
	}
	b.last, b.drawn = now, true
	fmt.Fprint(b.to, "\r"+b.line(done, now.Sub(b.begun).Seconds(), widthOf(b.to)))
}

// line returns a text and, with a total, a bar of the finished part that fills the line.
func (b *bar) line(done uint64, seconds float64, width int) string {
	text := b.text(done, seconds)
	text = text[:min(len(text), max(0, width-gauge))]
	if b.total == 0 {
		return fmt.Sprintf("%-*s", max(0, width-1), text)
	}
	part := float64(min(done, b.total)) / float64(b.total)
	room := max(1, width-1-len(text)-len(" 100% ||"))
	full := int(part * float64(room))
	return fmt.Sprintf("%s %3d%% |%s%s|", text, int(100*part), strings.Repeat("█", full), strings.Repeat(" ", room-full))
}

// widthOf returns the width of a terminal.
func widthOf(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// status returns the status for watchers of the job.
func (b *bar) status(what string, done, total uint64) string {
	switch {
	case total > 0:
		return fmt.Sprintf("%s of %s %s", short(float64(done)), short(float64(total)), what)
	case done > 0:
		return short(float64(done)) + " " + what
	}
	return what
}

// text returns the text before the bar. seconds is the time since the phase began.
func (b *bar) text(done uint64, seconds float64) string {
	text := b.app + ": " + b.status(b.what, done, b.total)
	if done == 0 || seconds <= 0 {
		return text
	}
	rate := float64(done) / seconds
	text += ", " + short(rate) + "/s"
	if b.total > done {
		text += ", " + timeLeft(float64(b.total-done)/rate) + " left"
	}
	return text
}

// timeLeft formats a time in seconds, in days beyond two days.
func timeLeft(seconds float64) string {
	const day = 24 * 60 * 60
	if seconds > 2*day {
		return short(seconds/day) + " days"
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// short formats a number with at most four digits: 999, 1.235k, 12.35M, 3.2G.
func short(n float64) string {
	unit := 0
	for n >= 999.95 && unit < 6 {
		n /= 1000
		unit++
	}
	return strconv.FormatFloat(n, 'g', 4, 64) + []string{"", "k", "M", "G", "T", "P", "E"}[unit]
}

// clear removes the bar.
func (b *bar) clear() {
	if b.drawn {
		fmt.Fprintf(b.to, "\r%*s\r", max(0, widthOf(b.to)-1), "")
		b.drawn = false
	}
}
