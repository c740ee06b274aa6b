package memory

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/internal/exposed"
)

// ErrFreed is the error of accesses by [TryGet] and [TryPut] to an object that was freed. The error around it names the
// object.
var ErrFreed = errors.New("it has been freed")

var (
	errKind  = errors.New("a reference of another type was used: references keep their type")
	errRange = errors.New("index out of range: the elements end beyond it")
)

// refusal is the reason to refuse an access.
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

// told replaces the error of an access to an object that was freed meanwhile by one that names the object.
func (h handle) told(err error) error {
	if errors.Is(err, exposed.Withdrawn) {
		return wasFreed.of(h)
	}
	return err
}
