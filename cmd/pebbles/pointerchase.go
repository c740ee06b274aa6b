package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/pointerchase"
	"github.com/activepebbles/pebbles/pebble"
)

func newPointerChase(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "pointerchase",
		Short: "Send one message around a random ring of all ranks, and time a step",
		Long: "pointerchase is the latency benchmark of the Active Pebbles paper: one message goes around a random ring of all\n" +
			"ranks, each step of it sent by the handler of the one before. Every visit is verified.",
		Example: "  pebbles pointerchase\n" +
			"  pebbles pointerchase --ranks 8 --rounds 10000 --json\n" +
			"  pebbles pointerchase --procs 2 --topology hypercube",
	}
	rounds := 1000
	c.Flags().Var(count{&rounds, 1, ""}, "rounds", "how many times the message goes around the ring")
	var config pointerchase.Config
	appCommand(t, c, application{
		check: func(s *settings, _ *cobra.Command) error {
			config.Rounds, config.Seed = uint64(rounds), s.seed
			return config.Check(s.ranks())
		},
		run: func(r *pebble.Rank, _ *settings, p progress) (outcome, error) {
			config := config
			config.Progress = p.of("rounds")
			result, err := pointerchase.Run(r, config)
			return outcome{result.Report, result, result.Rows()}, err
		},
	})
	for _, name := range []string{"coalesce", "cache"} {
		c.Flags().Lookup(name).Usage = "has no effect here: there is one message, and it never waits"
	}
	return c
}
