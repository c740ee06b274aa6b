package distgraph

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// fromZero runs find on rank 0 and returns its numbers, or its error, on every rank. On the other ranks the error has
// the same words, and is the same of kinds.
func fromZero(r *pebble.Rank, find func() ([]uint64, error)) ([]uint64, error) {
	var told []byte
	var cause error
	if r.ID() == 0 {
		var numbers []uint64
		numbers, cause = find()
		told = pack(numbers, cause)
	}
	told, err := r.BroadcastBytes(0, told)
	if err != nil {
		return nil, err
	}
	if cause != nil {
		return nil, cause
	}
	return unpack(told)
}

// kinds are the errors that a caller may ask for with errors.Is, whichever rank it is on.
var kinds = []error{
	fs.ErrNotExist, fs.ErrPermission,
	graph.ErrTruncated, graph.ErrDamaged, graph.ErrSyntax, graph.ErrRange, graph.ErrUnweighted, ErrRoot,
}

const (
	packedNumbers = iota
	packedError
	packedKind // and above: an error of kinds[i - packedKind]
)

func pack(numbers []uint64, err error) []byte {
	if err == nil {
		return packNumbers([]byte{packedNumbers}, numbers)
	}
	kind := byte(packedError)
	for i, k := range kinds {
		if errors.Is(err, k) {
			kind = byte(packedKind + i)
		}
	}
	return append([]byte{kind}, err.Error()...)
}

func unpack(told []byte) ([]uint64, error) {
	switch kind, rest := told[0], told[1:]; kind {
	case packedNumbers:
		return unpackNumbers(rest), nil
	case packedError:
		return nil, errors.New(string(rest))
	default:
		return nil, &toldError{string(rest), kinds[kind-packedKind]}
	}
}

func packNumbers(to []byte, numbers []uint64) []byte {
	for _, n := range numbers {
		to = binary.LittleEndian.AppendUint64(to, n)
	}
	return to
}

func unpackNumbers(from []byte) []uint64 {
	numbers := make([]uint64, len(from)/8)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint64(from[8*i:])
	}
	return numbers
}

// toldError is an error of rank 0, as another rank knows it.
type toldError struct {
	text string
	kind error
}

func (e *toldError) Error() string { return e.text }
func (e *toldError) Unwrap() error { return e.kind }
