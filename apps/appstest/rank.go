package appstest

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// Rank is a rank of a program with assertions: one that fails ends the job, with its text as the error.
type Rank struct {
	*pebble.Rank
	*require.Assertions
}

// fatal ends the job of a rank.
type fatal struct{}

func (fatal) Errorf(format string, args ...any) { panic(fmt.Errorf(format, args...)) }
func (fatal) FailNow()                          {}

// Checked returns the rank function of a program with assertions.
func Checked(program func(r Rank)) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		program(Rank{r, require.New(fatal{})})
		return nil
	}
}

// Do runs an epoch whose body has assertions.
func (r Rank) Do(body func(), options ...pebble.EpochOption) { Epoch(r.Rank, body, options...) }

// Meet is a barrier.
func (r Rank) Meet() { OK(r.Barrier()) }

// Reduced returns the values of all ranks, merged.
func Reduced[T any](r Rank, v T, merge func(a, b T) T) T {
	return Must(pebble.AllReduce(r.Rank, v, merge))
}

// Gathered returns the values of all ranks, by rank.
func Gathered[T any](r Rank, v T) []T { return Must(pebble.AllGather(r.Rank, v)) }
