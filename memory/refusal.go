package memory

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/internal/exposed"
)

// ErrFreed is what accesses to an object by [TryGet] and [TryPut] come to after it was freed. The error around it names
// the object.
var ErrFreed = errors.New("it has been freed")

var (
	errKind  = errors.New("a reference of another type was used: references keep their type")
	errRange = errors.New("index out of range: the elements end beyond it")
)

// refusal is why an access is not done.
type refusal uint32

const (
	none refusal = iota
	wasFreed
	otherKind
	outOfRange
)

func (r refusal) of(h handle) error {
	return &objectError{h, [...]error{wasFreed: ErrFreed, otherKind: errKind, outOfRange: errRange}[r]}
}

// objectError names an object that a rank has allocated alone.
type objectError struct {
	of    handle
	cause error
}

func (e *objectError) Error() string {
	return fmt.Sprintf("%v: %v", e.of, e.cause)
}

func (e *objectError) Unwrap() error { return e.cause }

// told makes the error of an access one that names the object: one that was freed while it was accessed.
func (h handle) told(err error) error {
	if errors.Is(err, exposed.Withdrawn) {
		return wasFreed.of(h)
	}
	return err
}
