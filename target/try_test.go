package target_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

var errTried = errors.New("no room")

type step struct{ Key, Left uint64 }

func keyOf(s step) uint64 { return s.Key }

// A handler that gets its target sends pebbles on: no variable is declared before the target.
func TestTryHandlersSendOn(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 7} {
		for _, batches := range []bool{false, true} {
			handled := make([]int, ranks)
			job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				handle := func(t *target.Target[step], s step) error {
					handled[r.ID()]++
					if s.Left > 0 {
						t.Send(step{(s.Key + 1) % uint64(ranks), s.Left - 1})
					}
					return nil
				}
				handling := target.TryEach(handle)
				if batches {
					handling = target.TryBatch(func(t *target.Target[step], vs []step) error {
						for _, s := range vs {
							_ = handle(t, s)
						}
						return nil
					})
				}
				visit := target.New(r, "visit", distribution.Ranks(ranks), target.Key(keyOf), handling)
				return epoch(r, func() {
					for i := range uint64(300) {
						visit.Send(step{i % uint64(ranks), i % 5})
					}
				})
			})
			require.Equal(t, ranks*300*3, sumOf(handled))
		}
	}
}

// The error of a handler ends the job on every rank, and names the pebble.
func TestTryErrorsAreNamed(t *testing.T) {
	for words, handling := range map[string]target.Handling[step]{
		"handle pebble {Key:%d Left:7}: no room": target.TryEach(func(_ *target.Target[step], s step) error {
			if s.Left == 7 {
				return errTried
			}
			return nil
		}),
		"handle pebble {Key:%d Left:7}: at last: pebble 7 of its batch: no room": target.TryBatch(
			func(*target.Target[step], []step) error {
				return fmt.Errorf("at last: %w", target.PebbleError(7, errTried))
			}),
		"handle a batch of 10 pebbles from {Key:%d Left:0} on: no room": target.TryBatch(
			func(*target.Target[step], []step) error { return errTried }),
		"handle a batch of 10 pebbles from {Key:%d Left:0} on: pebble 10 of its batch: no room": target.TryBatch(
			func(*target.Target[step], []step) error { return target.PebbleError(10, errTried) }),
	} {
		for _, ranks := range []int{1, 2, 5} {
			told, last := make([]error, ranks), uint64(ranks-1)
			err := run(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				visit := target.New(r, "visit", distribution.Ranks(ranks), target.Key(keyOf), handling)
				told[r.ID()] = epochOf(0, r, func() {
					var all []step
					for i := range uint64(10) {
						all = append(all, step{last, i})
					}
					visit.SendAll(all)
				})
				return nil // the error ends the job all the same
			})
			require.EqualError(t, err, fmt.Sprintf(`rank %d: target "visit": `+words, last, last))
			require.ErrorIs(t, err, errTried)
			var named *target.HandlerError
			require.ErrorAs(t, err, &named)
			require.EqualValues(t, last, named.Rank)
			require.Equal(t, "visit", named.Target)
			for _, e := range told {
				require.ErrorIs(t, err, e)
			}
		}
	}
}

// Pebbles through a codec may have any size: the text of one in an error is bounded, with whole runes on one line.
func TestTryErrorsAreShort(t *testing.T) {
	for length := range 8 {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			say := target.New(r, "say", distribution.Ranks(2), target.Key(func(string) uint64 { return 1 }),
				target.TryEach(func(*target.Target[string], string) error { return errTried }),
				target.Coded(pebble.Strings{}))
			return epoch(r, func() { say.Send(strings.Repeat("x", length) + "\n" + strings.Repeat("é", 100_000)) })
		})
		var named *target.HandlerError
		require.ErrorAs(t, err, &named)
		require.LessOrEqual(t, len(named.Pebble), 200)
		require.Greater(t, len(named.Pebble), 190)
		require.True(t, utf8.ValidString(named.Pebble))
		require.True(t, strings.HasSuffix(named.Pebble, "é..."), named.Pebble)
		require.NotContains(t, err.Error(), "\n")
	}
}
