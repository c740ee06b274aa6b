package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/reduction"
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
	config := reduction.Config{Items: 1 << 20, Keys: 1}
	var kind word
	c.Flags().Var(count(&config.Items, 1, ""), "items", "items that each rank sends")
	c.Flags().Var(count(&config.Keys, 1, ""), "keys", "keys that they are for; with one, all go to rank 0")
	words(c, &kind, "kind", "sum", reduction.Kinds(), "what is put together under a key")
	appCommand(t, c, application{
		check: valid(&config, func(s *settings, given givenFlags) error {
			config.Kind = kind.text
			if given("cache") && s.text("cache") == "0" {
				config.Cache = reduction.NoCache
			}
			if config.Tuned = s.autos().Cache; config.Tuned {
				s.firstCache = reduction.CacheDefault
			}
			return nil
		}),
		run: runs(&config, "items", reduction.Run),
	})
	c.Flags().Lookup("cache").DefValue = strconv.Itoa(reduction.CacheDefault)
	return c
}
