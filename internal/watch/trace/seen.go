package trace

import (
	"fmt"
	"math"
	"os"
	"strings"
	"unicode"
)

// seen is the content of a packet as far as Merge needs it.
type seen struct {
	time     int64
	sequence uint64
	what     uint64 // type of its event; 0 for none
	category uint64 // interned
	weight   uint64
	said     string // category of a file's description of itself
	numbers  map[string]uint64
	texts    map[string]string
}

// see reads a packet. It reports whether the packet is valid.
func see(packet []byte) (s seen, ok bool) {
	whole := true
	ok = each(packet, func(f *field) {
		switch {
		case f.is(packetTime, wireVarint):
			s.time = int64(min(f.value, math.MaxInt64))
		case f.is(packetSequence, wireVarint):
			s.sequence = f.value
		case f.is(packetEvent, wireBytes):
			s.weight = 1
			whole = s.event(f.bytes) && whole
		}
	})
	return s, ok && whole
}

func (s *seen) event(message []byte) bool {
	whole := true
	ok := each(message, func(f *field) {
		switch {
		case f.is(eventType, wireVarint):
			s.what = f.value
		case f.is(eventCategoryID, wireVarint):
			s.category = f.value
		case f.is(eventCategory, wireBytes):
			s.said = string(f.bytes)
		case f.is(eventAnnotations, wireBytes):
			whole = s.annotation(f.bytes) && whole
		}
	})
	return ok && whole
}

func (s *seen) annotation(message []byte) bool {
	var id, number uint64
	var name, text string
	ok := each(message, func(f *field) {
		switch {
		case f.is(annotationNameID, wireVarint):
			id = f.value
		case f.is(annotationName, wireBytes):
			name = string(f.bytes)
		case f.is(annotationUint, wireVarint):
			number = f.value
		case f.is(annotationText, wireBytes):
			text = string(f.bytes)
		}
	})
	if id == weightID {
		s.weight = number
	}
	if name == "" {
		return ok
	}
	if s.numbers == nil {
		s.numbers, s.texts = map[string]uint64{}, map[string]string{}
	}
	s.numbers[name], s.texts[name] = number, text
	return ok
}

// source is an input file of Merge with the description of its job.
type source struct {
	path      string
	program   string
	job       string
	host      string
	process   int
	processes int
	started   int64
}

// plain makes a text from a file safe for a terminal.
func plain(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, clean(text))
}

// processesMost is the largest number of processes of a job that readers accept.
const processesMost = 1 << 20

// jobWithin is the number of packets within which a file describes its job.
const jobWithin = 16

// look reads the description of a file's job.
func look(path string) (source, error) {
	file, err := os.Open(path)
	if err != nil {
		return source{}, err
	}
	defer file.Close()
	r := newReader(file)
	for range jobWithin {
		_, inside, err := r.next()
		if err != nil {
			break
		}
		if s, ok := see(inside); ok && s.said == categoryJob {
			return sourceOf(path, &s)
		}
	}
	return source{}, fmt.Errorf("%s does not name its job: it is not a trace of a job, or was truncated at its "+
		"beginning", path)
}

func sourceOf(path string, s *seen) (source, error) {
	of := source{
		path: path, program: plain(s.texts["program"]), job: plain(s.texts["job"]), host: plain(s.texts["host"]),
		started: int64(min(s.numbers["started"], math.MaxInt64)),
	}
	process, processes := s.numbers["process"], s.numbers["processes"]
	switch {
	case s.numbers["version"] != version:
		return of, fmt.Errorf("%s is of version %d, and this program reads version %d: use the one that wrote it",
			path, s.numbers["version"], version)
	case process >= processes || processes > processesMost || s.sequence != process+1:
		return of, fmt.Errorf("%s is damaged: it says it is of process %d of %d", path, process, processes)
	}
	of.process, of.processes = int(process), int(processes)
	return of, nil
}
