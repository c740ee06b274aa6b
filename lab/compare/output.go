package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
)

// report is the result of a run of HPCC's MPIRandomAccess, with the field names of our command.
type report struct {
	App     string  `json:"app"`
	Ranks   int     `json:"ranks"`
	Procs   int     `json:"procs"`
	Log2    int     `json:"log2_words"` // of each rank
	Seconds float64 `json:"seconds"`
	// Errors are the wrong words if they exceed the 1 % of the benchmark's rules. Then the run does not count.
	Errors           uint64  `json:"errors"`
	WrongWords       uint64  `json:"wrong_words"`
	Words            uint64  `json:"words"`
	Updates          uint64  `json:"updates"`
	UpdatesPerSecond float64 `json:"updates_per_second"`
}

// HPCC writes a section between these lines.
const (
	sectionBegins = "Begin of MPIRandomAccess section."
	sectionEnds   = "End of MPIRandomAccess section."
)

// complete reports whether HPCC has written the whole section.
func complete(text string) bool { return strings.Contains(text, sectionEnds) }

// section returns the part of HPCC's output about MPIRandomAccess.
func section(text string) string {
	_, text, _ = strings.Cut(text, sectionBegins)
	text, _, _ = strings.Cut(text, sectionEnds)
	return text
}

var (
	ranksLine    = regexp.MustCompile(`(?m)^Running on (\d+) processors`)
	sizeLine     = regexp.MustCompile(`(?m)^PE Main table size = 2\^(\d+) `)
	updatesLine  = regexp.MustCompile(`(?m)^Default number of updates \(RECOMMENDED\) = (\d+)$`)
	executedLine = regexp.MustCompile(`(?m)^Number of updates EXECUTED = (\d+) `) // if HPCC has a time limit
	secondsLine  = regexp.MustCompile(`(?m)^Real time used = (\S+) seconds$`)
	foundLine    = regexp.MustCompile(`(?m)^Found (\d+) errors in (\d+) locations \((passed|failed)\)\.$`)
)

// read reads a section. It must have all parts of a result.
func read(text string) (r report, err error) {
	found := foundLine.FindStringSubmatch(text)
	updates := updatesLine
	if executedLine.MatchString(text) {
		updates = executedLine
	}
	r = report{
		App:   "randomaccess",
		Ranks: int(whole(text, ranksLine, &err)), Log2: int(whole(text, sizeLine, &err)),
		Updates:    whole(text, updates, &err),
		WrongWords: whole(text, foundLine, &err),
	}
	r.Procs = r.Ranks
	seconds, parse := strconv.ParseFloat(first(text, secondsLine), 64)
	if err == nil && (parse != nil || seconds <= 0) {
		err = missing(text, secondsLine)
	}
	if err != nil {
		return report{}, err
	}
	if r.Words, err = strconv.ParseUint(found[2], 10, 64); err != nil {
		return report{}, err
	}
	r.Seconds = seconds
	r.UpdatesPerSecond = float64(r.Updates) / seconds
	if found[3] != "passed" || r.WrongWords > r.Words/100 {
		r.Errors = max(1, r.WrongWords)
	}
	return r, nil
}

// whole returns the number in a line. If it is missing, whole sets err, unless that is set already.
func whole(text string, line *regexp.Regexp, err *error) uint64 {
	n, parse := strconv.ParseUint(first(text, line), 10, 64)
	if parse != nil && *err == nil {
		*err = missing(text, line)
	}
	return n
}

func first(text string, line *regexp.Regexp) string {
	if found := line.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

func missing(text string, line *regexp.Regexp) error {
	return fmt.Errorf("HPCC has not printed %q%s", line, machine.Said(text))
}
