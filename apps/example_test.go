package apps_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/access"
	"github.com/activepebbles/pebbles/apps/alltoall"
	"github.com/activepebbles/pebbles/apps/epochs"
	"github.com/activepebbles/pebbles/apps/join"
	"github.com/activepebbles/pebbles/apps/kmers"
	"github.com/activepebbles/pebbles/apps/permutation"
	"github.com/activepebbles/pebbles/apps/ping"
	"github.com/activepebbles/pebbles/apps/pointerchase"
	"github.com/activepebbles/pebbles/apps/randomaccess"
	"github.com/activepebbles/pebbles/apps/sort"
	"github.com/activepebbles/pebbles/apps/stressmark"
	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/apps/words"
	"github.com/activepebbles/pebbles/pebble"
)

// An application is a function that all ranks of a job call. It verifies its result, and counts errors.
func Example() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4, Coalesce: 64}, func(r *pebble.Rank) error {
		show := func(name string, errors uint64, found ...any) {
			if r.ID() == 0 {
				fmt.Println(name, found, "errors", errors)
			}
		}
		read, err := access.Gather(r, access.GatherConfig{Log2Words: 10, Accesses: 1000, Common: apps.Common{Seed: 1}})
		if err != nil {
			return err
		}
		show("access", read.Errors, read.Accesses, read.Near, read.Remote)
		sent, err := alltoall.Run(r, alltoall.Config{Rounds: 10})
		if err != nil {
			return err
		}
		show("alltoall", sent.Errors, sent.Items, sent.Bytes)
		ended, err := epochs.Run(r, epochs.Config{Count: 5, Pebbles: 2})
		if err != nil {
			return err
		}
		show("epochs", ended.Errors, ended.Counters.PebblesHandled)
		joined, err := join.Run(r, join.Config{Left: 1000, Right: 300, Common: apps.Common{Seed: 1}})
		if err != nil {
			return err
		}
		show("join", joined.Errors, joined.Results, joined.Checksum)
		counted, err := kmers.Run(r, kmers.Config{Bases: 10_000, Coverage: 10})
		if err != nil {
			return err
		}
		show("kmers", counted.Errors, counted.Kmers, counted.Reads)
		permuted, err := permutation.Run(r, permutation.Config{Log2Elements: 4, Common: apps.Common{Seed: 1}})
		if err != nil {
			return err
		}
		show("permutation", permuted.Errors, permuted.Elements)
		came, err := ping.Run(r, ping.Config{Bytes: 64, Messages: 1000})
		if err != nil {
			return err
		}
		show("ping", came.Errors, came.Messages)
		chased, err := pointerchase.Run(r, pointerchase.Config{Rounds: 3, Common: apps.Common{Seed: 1}})
		if err != nil {
			return err
		}
		show("pointerchase", chased.Errors, chased.Hops)
		updated, err := randomaccess.Run(r, randomaccess.Config{Log2Words: 4})
		if err != nil {
			return err
		}
		show("randomaccess", updated.Errors, updated.Updates)
		sorted, err := sort.Run(r, sort.Config{Numbers: 100_000, Common: apps.Common{Seed: 1}})
		if err != nil {
			return err
		}
		show("sort", sorted.Errors, sorted.Count, sorted.Checksum)
		followed, err := stressmark.Pointer(r, stressmark.PointerConfig{Words: 1000, Hops: 50, Stop: 1,
			Common: apps.Common{Seed: 1}})
		if err != nil {
			return err
		}
		show("stressmark", followed.Errors, followed.Hops, followed.Ended, followed.Remote)
		grid, err := treadmarks.Run(r, treadmarks.Jacobi, treadmarks.Config{Size: 100, Rounds: 10, Copies: true,
			Common: apps.Common{Seed: 1}})
		if err != nil {
			return err
		}
		show("treadmarks", grid.Errors, grid.Size, grid.PagesFetched > 0)
		text, err := words.Run(r, words.Config{
			Bytes: 10_000, Vocabulary: 100, Common: apps.Common{Output: apps.Output{Top: 2}},
		})
		if err != nil {
			return err
		}
		show("words", text.Errors, text.Words, text.Distinct, text.Top)
		return nil
	})
	fmt.Println(err)
	// Output:
	// access [4000 4000 0] errors 0
	// alltoall [120 32] errors 0
	// epochs [40] errors 0
	// join [1048 b858ee54204726ef] errors 0
	// kmers [70000 1000] errors 0
	// permutation [64] errors 0
	// ping [2000] errors 0
	// pointerchase [12] errors 0
	// randomaccess [256] errors 0
	// sort [100000 b467a2adfd8a6d83] errors 0
	// stressmark [200 0 0] errors 0
	// treadmarks [100 true] errors 0
	// words [4537 100 [{e 1101} {t 483}]] errors 0
	// <nil>
}
