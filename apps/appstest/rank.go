package appstest

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// Rank is a rank whose program checks as it goes: an assertion that does not hold ends the job, whose error tells it.
type Rank struct {
	*pebble.Rank
	*require.Assertions
}

// fatal ends the job of a rank.
type fatal struct{}

func (fatal) Errorf(format string, args ...any) { panic(fmt.Errorf(format, args...)) }
func (fatal) FailNow()                          {}

// Checked makes the function of a rank of one that checks as it goes.
func Checked(program func(r Rank)) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		program(Rank{r, require.New(fatal{})})
		return nil
	}
}

// Do runs an epoch whose body checks as it goes.
func (r Rank) Do(body func(), options ...pebble.EpochOption) { Epoch(r.Rank, body, options...) }

// Meet is a barrier.
func (r Rank) Meet() { OK(r.Barrier()) }

// Reduced is what all ranks have, merged.
func Reduced[T any](r Rank, v T, merge func(a, b T) T) T {
	return Must(pebble.AllReduce(r.Rank, v, merge))
}

// Gathered is what all ranks have, by rank.
func Gathered[T any](r Rank, v T) []T { return Must(pebble.AllGather(r.Rank, v)) }
