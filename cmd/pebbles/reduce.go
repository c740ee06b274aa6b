package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/reduction"
	"github.com/activepebbles/pebbles/pebble"
)

func newReduce(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "reduce",
		Short: "Send items from all ranks to one key or a few, and merge them on their way",
		Long: "reduce is an all-to-one reduction: what all ranks send to one key, or to a few, is put together on its way by the\n" +
			"reduction cache, which is on here unless --cache 0 is given. The total of every key is verified.",
		Example: "  pebbles reduce\n" +
			"  pebbles reduce --ranks 8 --topology hypercube --items 100000 --kind max --json\n" +
			"  pebbles reduce --procs 2 --keys 5000 --cache 0",
	}
	var config reduction.Config
	var kind word
	items, keys := 1<<20, 1
	c.Flags().Var(count{&items, 1, ""}, "items", "items that each rank sends")
	c.Flags().Var(count{&keys, 1, ""}, "keys", "keys that they are for; with one, all go to rank 0")
	words(c, &kind, "kind", "sum", reduction.Kinds(), "what is put together under a key")
	appCommand(t, c, application{
		check: func(s *settings, c *cobra.Command) error {
			config.Items, config.Keys, config.Kind, config.Seed = uint64(items), uint64(keys), kind.text, s.seed
			if c.Flags().Changed("cache") && s.cache == 0 {
				config.Cache = reduction.NoCache
			}
			if config.Tuned = s.autos.Cache; config.Tuned && s.known == nil {
				s.cache = reduction.CacheDefault
			}
			return config.Check(s.ranks())
		},
		run: func(r *pebble.Rank, _ *settings, p progress) (outcome, error) {
			config := config
			config.Progress = p.of("items")
			result, err := reduction.Run(r, config)
			return outcome{result.Report, result, result.Rows()}, err
		},
	})
	c.Flags().Lookup("cache").DefValue = strconv.Itoa(reduction.CacheDefault)
	return c
}
