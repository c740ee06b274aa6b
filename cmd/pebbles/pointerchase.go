package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/pointerchase"
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
	config := pointerchase.Config{Rounds: 1000}
	c.Flags().Var(count(&config.Rounds, 1, ""), "rounds", "how many times the message goes around the ring")
	appCommand(t, c, application{check: valid(&config, nil), run: runs(&config, "rounds", pointerchase.Run)})
	return unused(c, "there is one message, and it never waits", "coalesce", "cache")
}
