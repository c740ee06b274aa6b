package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	window    = 6                // kept sightings: rates are those between the first and the last
	firstWait = 10 * time.Second // for the first sighting of a job
	lostWait  = 30 * time.Second // for a further sighting
)

// screen is the content of a job's display. It uses no terminal: it takes keys, sizes and answers, and returns lines.
type screen struct {
	width, height int         // 0: no limit
	past          []*sighting // last sightings, oldest first
	ranks         table[rankRow]
	links         table[linkRow]
	byLink        bool // show links, not ranks
	help          bool
	heard         time.Time // time of the last answer
	trouble       error     // cause of its silence since
}

func newScreen(now time.Time) *screen {
	return &screen{ranks: rankTable(), links: linkTable(), heard: now}
}

// seen reports whether the job has been seen.
func (s *screen) seen() bool { return len(s.past) > 0 }

// last returns the last sighting, which must exist.
func (s *screen) last() *sighting { return s.past[len(s.past)-1] }

// earlier returns the sighting that rates refer to, or nil.
func (s *screen) earlier() *sighting {
	if len(s.past) < 2 {
		return nil
	}
	return s.past[0]
}

// show adds a new sighting. A sighting of another job at the same address clears the past. The same sighting again,
// which is a page's answer while it has no newer one, changes nothing.
func (s *screen) show(now time.Time, next *sighting) {
	s.heard, s.trouble = now, nil
	switch {
	case !s.seen():
	case s.last().job == next.job && s.last().now.At.Equal(next.now.At):
		return
	case !next.follows(s.last()):
		s.past = nil
	}
	s.past = append(s.past, next)
	s.past = s.past[max(0, len(s.past)-window):]
	next.since(s.earlier())
	s.ranks.put(slices.Clone(next.ranks))
	s.links.put(slices.Clone(next.links))
	s.scroll(0)
}

// errOver is the reason why a job is no longer shown.
var errOver = errors.New("the job has ended or can't be reached")

// miss handles an error instead of a sighting. It returns an error when further looks are useless.
func (s *screen) miss(now time.Time, err error) error {
	s.trouble = err
	silent := now.Sub(s.heard)
	switch {
	case s.seen() && (final(err) || silent >= lostWait):
		return errOver
	case !s.seen() && (final(err) || silent >= firstWait):
		return err
	}
	return nil
}

// press handles a key.
func (s *screen) press(key string) {
	switch key {
	case "r":
		s.byLink, s.help = false, false
	case "l":
		s.byLink, s.help = true, false
	case "?":
		s.help = !s.help
	case "<", "left":
		s.table().move(-1)
	case ">", "right":
		s.table().move(1)
	case "s":
		s.table().reverse()
	}
	page := max(1, s.fit()-1)
	s.scroll(map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page, "home": -1 << 30, "end": 1 << 30}[key])
}

// resize sets the size of the terminal.
func (s *screen) resize(width, height int) {
	s.width, s.height = width, height
	s.scroll(0)
}

func (s *screen) scroll(rows int) { s.table().scroll(rows, s.fit()) }

// table returns the visible table.
func (s *screen) table() interface {
	move(columns int)
	reverse()
	scroll(rows, fit int)
	caption(fit int) string
	lines(width, fit int) []string
} {
	if s.byLink {
		return &s.links
	}
	return &s.ranks
}

const (
	around  = 3 // lines: caption, titles, keys
	noLimit = 1 << 30
)

// fit returns the number of rows with room.
func (s *screen) fit() int {
	if s.height == 0 {
		return noLimit
	}
	return max(0, s.height-len(s.head())-around)
}

// head returns the lines above the table, the verdict first.
func (s *screen) head() []string {
	if !s.seen() {
		return wrap("waiting for the job"+s.silence(), s.width, 3)
	}
	now, most := s.last(), noLimit
	if s.height > 0 {
		most = max(1, min(6, s.height/4))
	}
	lines := wrap(now.verdict, s.width, most)
	if s.trouble != nil {
		lines = append(lines, wrap("NO ANSWER"+s.silence(), s.width, 2)...)
	}
	if now.status != "" {
		lines = append(lines, wrap(now.status, s.width, 2)...)
	}
	return append(lines, cut(now.title, s.width), cut(now.totals(s.earlier()), s.width))
}

// silence describes the time and cause of the job's silence.
func (s *screen) silence() string {
	if s.trouble == nil {
		return ""
	}
	return ": " + escaped(s.trouble.Error())
}

const keysLine = "q quit  r ranks  l links  < > sort  s reverse  arrows PgUp PgDn scroll  ? help"

// lines returns all lines of the screen, within its height and width.
func (s *screen) lines() []string {
	lines := s.head()
	switch {
	case s.help:
		lines = append(lines, "")
		for _, text := range keysHelp {
			lines = append(lines, cut(text, s.width))
		}
	case s.seen():
		table := s.table().lines(s.width, s.fit())
		table[0] = titled(table[0])
		lines = append(append(lines, cut(s.table().caption(s.fit()), s.width)), table...)
	}
	if len(lines) > s.height-1 {
		lines = lines[:max(0, s.height-1)]
	}
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	return append(lines, cut(keysLine, s.width))
}

// titled highlights a line.
func titled(line string) string { return "\x1b[1m" + line + "\x1b[m" }

// text returns the current state of the job with all its rows, for a file or a pipe.
func (s *screen) text() string {
	lines := append(s.head(), "")
	lines = append(append(lines, s.ranks.lines(s.width, noLimit)...), "")
	if len(s.links.rows) == 0 {
		return strings.Join(append(lines, "no links with frames"), "\n") + "\n"
	}
	lines = append(lines, s.links.lines(s.width, noLimit)...)
	return strings.Join(lines, "\n") + "\n"
}

// farewell returns the last text on the terminal about an ended job.
func (s *screen) farewell() string {
	return fmt.Sprintf("%s\n%s\n%v\n", s.last().title, s.last().verdict, errOver)
}
