package checkpoint

import (
	"fmt"

	"github.com/activepebbles/pebbles/pebble"
)

// Part is a piece of a program's state, or an argument that the state depends on. [Value], [PerRank], [Slice], [Array],
// [Pages], [Records] and [Argument] make parts.
type Part struct {
	name string
	kept
}

// kept saves and loads a part. Its rank's goroutine calls it.
type kept interface {
	// begin checks the part, and returns its description, which must equal that in a checkpoint.
	begin(r *pebble.Rank) (string, error)
	// save calls emit with this rank's records. emit must not keep them.
	save(emit func(record) error) error
	// load handles a record that this rank has read, in an epoch's body: it sends elements to the ranks that keep them.
	load(r record, send func(to int, r record)) error
	// take handles a record that was sent to this rank.
	take(r record) error
	// finish is called after the epoch. It reports missing elements.
	finish() error
}

// nothing is a kept without state.
type nothing struct{}

func (nothing) save(func(record) error) error        { return nil }
func (nothing) load(record, func(int, record)) error { return errRecord }
func (nothing) take(record) error                    { return errRecord }
func (nothing) finish() error                        { return nil }

// argument is a setting of the program.
type argument struct {
	nothing
	text string
}

// Argument is a setting that the state depends on, such as the number of vertices. Restore returns an error for a
// checkpoint of another value, as printed by fmt.
func Argument(name string, value any) Part { return Part{name, argument{text: fmt.Sprint(value)}} }

func (a argument) begin(*pebble.Rank) (string, error) { return "the argument " + a.text, nil }
