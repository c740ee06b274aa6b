package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/access"
	"github.com/activepebbles/pebbles/pebble"
)

func newAccess(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "access",
		Short: "Measure what accesses of a distributed array cost",
		Long:  "access measures and verifies accesses of package memory: of random words by all ranks, and of an owner that does not attend.",
		Example: "  pebbles access gather --ranks 2\n" +
			"  pebbles access attend --procs 2 --transport tcp --json",
		Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newAccessGather(t), newAttend(t))
	return c
}

// unnamed is an error of an application without its name: the command's is printed before the error.
func unnamed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "access: "))
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
	var ways []string
	for _, w := range access.Ways {
		ways = append(ways, string(w))
	}
	way := &word{}
	f := c.Flags()
	f.Var(count{&config.Log2Words, 1, "20"}, "log2-words", "binary logarithm of the words of each rank, 8 bytes each")
	f.Var(count{&config.Accesses, 1, "1048576"}, "accesses", "accesses of each rank")
	f.Var(count{&config.Batch, 1, "1024"}, "batch", "accesses made at once")
	f.BoolVar(&config.Others, "others", false, "leave out the rank's own words")
	words(c, way, "way", ways[0], ways, "how words are accessed")
	appCommand(t, c, application{
		check: func(s *settings, _ *cobra.Command) error {
			config.Seed, config.Way = s.seed, access.Way(way.text)
			return unnamed(config.Check(s.ranks()))
		},
		run: func(r *pebble.Rank, _ *settings, p progress) (outcome, error) {
			config := config
			config.Progress = p.of("accesses")
			result, err := access.Gather(r, config)
			return outcome{result.Report, result, result.Rows()}, err
		},
	})
	for _, name := range []string{"coalesce", "cache"} {
		c.Flags().Lookup(name).Usage = "has no effect here: no pebble is sent"
	}
	return c
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
	f.Var(count{&config.Reads, 1, "1000"}, "reads", "words that are read, one after the other")
	f.DurationVar(&config.Busy, "busy", config.Busy, "how long the owner computes at a time")
	f.BoolVar(&config.Asks, "asks", false, "ask the owner by a pebble, in place of a get")
	appCommand(t, c, application{
		check: func(s *settings, _ *cobra.Command) error {
			config.Seed = s.seed
			return unnamed(config.Check(s.ranks()))
		},
		run: func(r *pebble.Rank, _ *settings, p progress) (outcome, error) {
			config := config
			config.Progress = p.of("reads")
			result, err := access.Attend(r, config)
			return outcome{result.Report, result, result.Rows()}, err
		},
	})
	c.Flags().Lookup("cache").Usage = "has no effect here: nothing can be merged"
	return c
}
