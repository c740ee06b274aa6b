package checkpoint

import (
	"fmt"

	"github.com/activepebbles/pebbles/pebble"
)

// Part is a piece of a program's state, or an argument on which that depends: [Value], [PerRank], [Slice], [Array],
// [Pages], [Records] and [Argument] make one.
type Part struct {
	name string
	kept
}

// kept is what a part does. Its calls are for its rank's goroutine.
type kept interface {
	// begin checks the part, and describes it: descriptions are compared with those of a checkpoint.
	begin(r *pebble.Rank) (string, error)
	// save gives this rank's records to emit, which keeps nothing of them.
	save(emit func(record) error) error
	// load takes a record that this rank has read, in an epoch's body: it sends elements to the ranks that keep them.
	load(r record, send func(to int, r record)) error
	// take takes a record that was sent to this rank.
	take(r record) error
	// finish comes behind the epoch: it reports elements that are missing.
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

// Argument is a setting on which the state depends, such as the number of vertices. A checkpoint that was made with
// another value, as fmt prints it, is refused.
func Argument(name string, value any) Part { return Part{name, argument{text: fmt.Sprint(value)}} }

func (a argument) begin(*pebble.Rank) (string, error) { return "the argument " + a.text, nil }
