package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/activepebbles/pebbles/pebble"
)

// progress is what an application tells of how far it has come, on rank 0. nil is for ranks that need not tell.
type progress func(done, total uint64)

// bar draws progress on a terminal, once the run has taken a second. Only rank 0's goroutine draws; clear is for when the
// job has ended.
type bar struct {
	to      io.Writer // nil: there is no terminal, or nobody wants to see it
	title   string
	started time.Time
	drawn   *progressbar.ProgressBar
	total   uint64
}

const (
	patience = time.Second            // before anything is drawn
	throttle = 100 * time.Millisecond // between two drawings
)

func newBar(w io.Writer, title string, quiet bool) *bar {
	b := &bar{title: title, started: time.Now()}
	if file, ok := w.(*os.File); ok && !quiet && term.IsTerminal(int(file.Fd())) {
		b.to = w
	}
	return b
}

// progress is what the rank's application is given.
func (b *bar) progress(r *pebble.Rank) progress {
	if b.to == nil || r.ID() != 0 {
		return nil
	}
	return b.draw
}

// draw shows how far the run has come. Errors in drawing are of no use to anybody.
func (b *bar) draw(done, total uint64) {
	if time.Since(b.started) < patience {
		return
	}
	if b.drawn == nil || total != b.total {
		b.clear() // the next phase has a bar of its own
		b.total = total
		b.drawn = progressbar.NewOptions64(int64(total),
			progressbar.OptionSetWriter(b.to), progressbar.OptionSetDescription(b.title),
			progressbar.OptionThrottle(throttle), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	}
	_ = b.drawn.Set64(int64(done))
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.drawn != nil {
		_ = b.drawn.Clear()
	}
}
