package appstest

import "github.com/activepebbles/pebbles/pebble"

// Must returns the value of a call that must not fail. On an error it panics, which ends the test with the place of the
// call. On a rank, that is the error of the job, unless the job has already failed.
func Must[V any](value V, err error) V {
	OK(err)
	return value
}

// OK is Must for a call that returns only an error.
func OK(err error) {
	if err != nil {
		panic(err)
	}
}

// Epoch runs an epoch that must not fail, with a body that has no error.
func Epoch(r *pebble.Rank, body func(), options ...pebble.EpochOption) {
	OK(r.Epoch(func() error {
		body()
		return nil
	}, options...))
}
