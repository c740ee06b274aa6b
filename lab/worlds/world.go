package worlds

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// World is one small job and its faults. Its text form lists every value that is not zero. Every world that passes
// check can run; [Draw] makes sensible ones.
type World struct {
	Seed uint64
	machine
	settings
	traffic
	globals
	tasking
	faults
	saving
	connecting
}

// machine is the simulated hardware.
type machine struct {
	Ranks     int
	Processes int
	PerHost   int // processes
	Local     int // 1: a network with real costs; 0: one with only an order
	Cores     int // of each host; 0 is one per rank
	Slice     int // nanoseconds that a process keeps a core while another waits; 0 is no limit
	Call      int // nanoseconds of a system call, which frames share; 0 is none
}

// settings configure the runtime.
type settings struct {
	Topology string
	Detector string
	Coalesce int
	Cache    int
	Credits  int
	Budget   int    // bytes in flight
	Due      int    // nanoseconds; 0 is never
	Period   int    // nanoseconds; 0 is never
	Tune     int    // settings that change while the job runs: 1 topology, 2 factor, 4 cache; windows draw them by seed
	Ends     string // detectors that epochs ask for, in turn; empty: the job's
	Wrap     int    // distance below 2^64, or 2^32, at which counts begin; 0: counts begin at 0
	Narrow   int    // 1: below 2^32
}

// traffic is the pebbles that the program sends.
type traffic struct {
	Targets  int
	Kinds    int // of the targets, a digit each in base 6
	Coded    int // targets with a codec, a bit each
	Map      int // index of the distribution in maps
	Moving   int // targets whose keys have a directory, a bit each
	Moves    int // percent of sends and handler calls after which a key moves, if any can
	Marks    int // percent of sends, and permille of handler calls, after which a mark is set or removed
	Keys     int
	Hot      int // percent of the pebbles that go to key 0
	Epochs   int
	Pebbles  int // maximum number that a rank's main function sends in an epoch
	Depth    int // of the longest chain
	Declared int // 1: epochs declare the depth, unless keys move
	Fan      int // maximum number of children of a pebble
	Flush    int // percent of sends after which the main function flushes
	Batch    int // pebbles of a SendAll; 0 is Send
}

// faults are the faults of the machine.
type faults struct {
	Delay     int // percent of frames
	Double    int // permille of frames between processes
	Loss      int // permille
	Corrupt   int // permille
	Death     int // number of the process plus 1; 0 is none
	Freeze    int // number of the process plus 1; 0 is none
	Partition int // number of processes on its low side
	When      int // nanoseconds until these three
	Long      int // 1: they last longer than the silence limit
}

// field is a named part of a world.
type field struct {
	name string
	at   any // *int, *uint64 or *string
}

// fields lists all parts. Their names have dashes between words: per-host.
func (w *World) fields() (all []field) {
	v := reflect.ValueOf(w).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous {
			continue
		}
		name := ""
		for at, r := range f.Name {
			if unicode.IsUpper(r) && at > 0 {
				name += "-"
			}
			name += string(unicode.ToLower(r))
		}
		all = append(all, field{name, v.FieldByIndex(f.Index).Addr().Interface()})
	}
	return all
}

// String is the text form: name=value, separated by spaces.
func (w World) String() string {
	var words []string
	for _, f := range w.fields() {
		if text := f.text(); text != "0" && text != "" {
			words = append(words, f.name+"="+text)
		}
	}
	return strings.Join(words, " ")
}

func (f field) text() string {
	switch at := f.at.(type) {
	case *int:
		return strconv.Itoa(*at)
	case *uint64:
		return strconv.FormatUint(*at, 10)
	case *string:
		return *at
	}
	panic("worlds: a field of no known type")
}

func (f field) set(text string) (err error) {
	switch at := f.at.(type) {
	case *int:
		*at, err = strconv.Atoi(text)
		if err == nil && *at < 0 {
			err = fmt.Errorf("%d is negative", *at)
		}
	case *uint64:
		*at, err = strconv.ParseUint(text, 10, 64)
	case *string:
		*at = text
	}
	return err
}

// Parse reads the text form. A seed alone returns the world that Draw draws.
func Parse(text string) (w World, err error) {
	words := strings.Fields(text)
	if seed, ok := strings.CutPrefix(text, "seed="); ok && len(words) == 1 {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return w, fmt.Errorf("worlds: %q: write seed=N", text)
		}
		return Draw(n), nil
	}
	known := map[string]field{}
	for _, f := range w.fields() {
		known[f.name] = f
	}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		f, ok := known[name]
		if !ok {
			return w, fmt.Errorf("worlds: %q: no part of a world is called %q", text, name)
		}
		if err := f.set(value); err != nil {
			return w, fmt.Errorf("worlds: %q: %s: %w", text, name, err)
		}
	}
	return w, w.check()
}

// check returns an error for a world that cannot run.
func (w World) check() error {
	if w.Posts > 0 {
		return w.connecting.check(&w)
	}
	switch {
	case w.Ranks < 1 || w.Ranks > 1<<16 || w.Processes < 1 || w.Processes > w.Ranks:
		return fmt.Errorf("worlds: %d ranks in %d processes: give at least one of each, and no more processes than ranks",
			w.Ranks, w.Processes)
	case w.Targets < 1 || w.Targets > targetsMost || w.Keys < 1 || w.Epochs < 1 || w.Depth < 1 || w.Coalesce < 1:
		return fmt.Errorf("worlds: %d targets, %d keys, %d epochs, depth %d, coalescing factor %d: "+
			"each is at least 1, and targets at most %d", w.Targets, w.Keys, w.Epochs, w.Depth, w.Coalesce, targetsMost)
	case w.Map >= len(maps):
		return fmt.Errorf("worlds: distribution %d: there are %d", w.Map, len(maps))
	case w.Death > w.Processes || w.Freeze > w.Processes || w.Partition >= w.Processes && w.Partition > 0:
		return fmt.Errorf("worlds: faults of processes %d, %d and below %d, of %d",
			w.Death-1, w.Freeze-1, w.Partition, w.Processes)
	}
	return cmp.Or(w.tasking.check(w.Declared != 0), w.globals.check(), w.saving.check(&w))
}

const targetsMost = 3
