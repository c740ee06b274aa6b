package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/access"
)

func newAccess(t terminal) *cobra.Command {
	return group(&cobra.Command{
		Use:   "access",
		Short: "Measure what accesses of a distributed array cost",
		Long: "access measures and verifies accesses of package memory: of random words by all ranks, and of an owner that\n" +
			"computes and does not look for messages.",
		Example: "  pebbles access gather --ranks 2\n" +
			"  pebbles access attend --procs 2 --transport tcp --json",
	}, newAccessGather(t), newAttend(t))
}

func newAccessGather(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "gather",
		Short: "Read or write random words of a table that is spread over all ranks",
		Long: "gather is bale's indexgather and its relatives: each rank reads or writes random words of a table that is spread over all ranks,\n" +
			"in batches or one after the other; by plain loads, its own words alone, for comparison. In a chain each index depends on what\n" +
			"was read before. All words are verified.",
		Example: "  pebbles access gather --ranks 2 --log2-words 22\n" +
			"  pebbles access gather --way get --others --procs 2 --json\n" +
			"  pebbles access gather --way load --ranks 1 --log2-words 25",
	}
	var config access.GatherConfig
	var way word
	f := c.Flags()
	f.Var(count(&config.Log2Words, 1, "20"), "log2-words", "binary logarithm of the words of each rank, 8 bytes each")
	f.Var(count(&config.Accesses, 1, "1048576"), "accesses", "accesses of each rank")
	f.Var(count(&config.Batch, 1, "1024"), "batch", "accesses made at once")
	f.BoolVar(&config.Others, "others", false, "leave out the rank's own words")
	words(c, &way, "way", string(access.Ways[0]), names(access.Ways), "how words are accessed")
	appCommand(t, c, application{
		of: "access",
		check: valid(&config, func(*settings, givenFlags) error {
			config.Way = access.Way(way.text)
			return nil
		}),
		run: runs(&config, "accesses", access.Gather),
	})
	return unused(c, "no pebble is sent", "coalesce", "cache")
}

func newAttend(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "attend",
		Short: "Read words of a rank that computes for long without a call",
		Long: "attend has rank 0 read words of the last rank, which computes for a while without a call of ours, looks once for what has arrived, and\n" +
			"computes again. Gets are served by the owner's process; with --asks a pebble asks the owner, which has to attend. All words are\n" +
			"verified.",
		Example: "  pebbles access attend --procs 2\n" +
			"  pebbles access attend --procs 2 --transport tcp --asks --reads 20 --json",
	}
	config := access.AttendConfig{Busy: 20 * time.Millisecond}
	f := c.Flags()
	f.Var(count(&config.Reads, 1, "1000"), "reads", "words that are read, one after the other")
	f.DurationVar(&config.Busy, "busy", config.Busy, "how long the owner computes at a time")
	f.BoolVar(&config.Asks, "asks", false, "ask the owner by a pebble, in place of a get")
	appCommand(t, c, application{
		of: "access", check: valid(&config, nil), run: runs(&config, "reads", access.Attend),
	})
	return unused(c, "nothing can be merged", "cache")
}
