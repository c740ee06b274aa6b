package worlds

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// World is one small job and its faults. Its text form has all that is not zero. Every value runs; [Draw] makes
// sensible ones.
type World struct {
	Seed      uint64
	Ranks     int
	Processes int
	PerHost   int // processes
	Local     int // 1: a network with real costs, 0: one where only order matters
	Cores     int // of each host; 0 is one a rank
	Slice     int // nanoseconds that a process has one while another waits; 0 is no limit
	Call      int // nanoseconds of a system call, which frames share; 0 is none

	Topology string
	Detector string
	Coalesce int
	Cache    int
	Credits  int
	Budget   int // bytes in flight
	Due      int // nanoseconds; 0 is never
	Period   int // nanoseconds; 0 is never
	Tune     int // what may change while it runs: 1 topology, 2 factor, 4 cache; windows draw it by seed

	Targets   int
	Kinds     int // of the targets, a digit each in base 6
	Coded     int // targets whose pebbles travel through a codec, a bit each
	Map       int // which distribution the keys have
	Moving    int // targets whose keys have a directory, a bit each
	Moves     int // percent of sends and handlings after which a key moves, if any can
	Marks     int // percent of sends, and permille of handlings, after which a link or rank is marked, or no more
	Keys      int
	Hot       int // percent of the pebbles that go to key 0
	Epochs    int
	Pebbles   int    // of a rank's main function in an epoch, at the most
	Depth     int    // of the longest chain
	Declared  int    // 1: epochs declare it, unless keys move
	Ends      string // detectors that epochs ask for, in turn; none is the job's
	Wrap      int    // counts begin so far below 2^64, or 2^32; 0 is at 0
	Narrow    int    // 1: below 2^32
	Fan       int    // children of a pebble, at the most
	Flush     int    // percent of sends after which the main function flushes
	Batch     int    // pebbles of a SendAll; 0 is Send
	Arrays    int    // percent of the plain pebbles whose handling adds to an element of an array
	Addresses int    // entries of the address cache and 1; 0 is none

	Touches int // steps of a main function in an epoch, and of a task, on what follows, at the most; 0 is none of it
	Cells   int // elements of two arrays, which an epoch writes and reads by turns
	Element int // their type
	Locks   int
	Words   int // of an array, of each kind
	Sided   int // of all ranks' exposed memory, of each kind
	Values  int // of a heap, that a rank makes in an epoch
	Renew   int // percent of epochs before which all of that is freed and allocated anew

	Paged        int // turns of each rank at shared pages before an epoch; 0 is none
	PageElements int
	PageBytes    int
	PageBlock    int // elements that are one home's; 0 is equal parts
	PageCopies   int // 1: copies of near pages, too
	PageFlat     int // 1: barriers go through rank 0
	PageLocks    int
	PageCache    int // bytes; 0 is the default

	Tasks   int // of a rank at the beginning of an epoch, at the most; 0 is none in this world
	Workers int // of a rank
	Ops     int // steps of a task, at the most
	Steal   int // 1: ranks without work take tasks of others
	Linger  int // nanoseconds

	Kept      int // steps of a main function in an epoch, a task and a handling on containers, at the most; 0 is none
	KeptKinds int // of containers, a bit each
	KeptKeys  int
	KeptRows  int // that a rank adds to a table in an epoch, at the most
	KeptSpace int // bytes for them on a rank; 0 is enough for all
	KeptClear int // percent of epochs before which containers are cleared

	Delay     int // percent of frames
	Double    int // permille of frames between processes
	Loss      int // permille
	Corrupt   int // permille
	Death     int // process and 1
	Freeze    int // process and 1
	Partition int // processes on its low side
	When      int // nanoseconds until these three
	Long      int // 1: they last longer than the silence limit
}

// field is a part of a world by name.
type field struct {
	name string
	at   any // *int, *uint64 or *string
}

// fields are all parts. Their names have dashes between words: page-bytes.
func (w *World) fields() (all []field) {
	v := reflect.ValueOf(w).Elem()
	for i := range v.NumField() {
		name := ""
		for at, r := range v.Type().Field(i).Name {
			if unicode.IsUpper(r) && at > 0 {
				name += "-"
			}
			name += string(unicode.ToLower(r))
		}
		all = append(all, field{name, v.Field(i).Addr().Interface()})
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

// Parse reads the text form. A seed alone is the world that it draws.
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

// check refuses what can't be run.
func (w World) check() error {
	switch {
	case w.Ranks < 1 || w.Ranks > 1<<16 || w.Processes < 1 || w.Processes > w.Ranks:
		return fmt.Errorf("worlds: %d ranks in %d processes: give at least one of each, and no more processes than ranks", w.Ranks, w.Processes)
	case w.Targets < 1 || w.Targets > targetsMost || w.Keys < 1 || w.Epochs < 1 || w.Depth < 1 || w.Coalesce < 1:
		return fmt.Errorf("worlds: %d targets, %d keys, %d epochs, depth %d, coalescing factor %d: each is at least 1, and targets at most %d",
			w.Targets, w.Keys, w.Epochs, w.Depth, w.Coalesce, targetsMost)
	case w.Tasks > 0 && (w.Workers < 1 || w.Declared != 0):
		return fmt.Errorf("worlds: %d tasks, %d workers, declared=%d: tasks need a worker, and epochs that declare nothing", w.Tasks, w.Workers, w.Declared)
	case w.Paged > 0 && w.PageElements < 1:
		return fmt.Errorf("worlds: paged=%d, page-elements=%d: give at least one", w.Paged, w.PageElements)
	case w.Addresses > 1001:
		return fmt.Errorf("worlds: addresses=%d: an address cache has 1,000 entries at most", w.Addresses)
	case w.Touches > 0 && w.Locks > 0 && w.declares():
		return fmt.Errorf("worlds: %d locks, declared=1: locks need epochs that declare nothing", w.Locks)
	case w.Kept > 0 && (w.KeptKeys < 1 || w.declares()):
		return fmt.Errorf("worlds: kept=%d, kept-keys=%d, declared=%d: containers need a key, and epochs that declare "+
			"nothing", w.Kept, w.KeptKeys, w.Declared)
	case w.Element >= elementKinds:
		return fmt.Errorf("worlds: elements of type %d: there are %d types", w.Element, elementKinds)
	case w.Map >= len(maps):
		return fmt.Errorf("worlds: distribution %d: there are %d", w.Map, len(maps))
	case w.Death > w.Processes || w.Freeze > w.Processes || w.Partition >= w.Processes && w.Partition > 0:
		return fmt.Errorf("worlds: faults of processes %d, %d and below %d, of %d", w.Death-1, w.Freeze-1, w.Partition, w.Processes)
	}
	return nil
}

const targetsMost = 3
