package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/epochs"
)

func newEpochs(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "epochs",
		Short: "Begin and end many epochs with few or no pebbles, and time one",
		Long: "epochs measures what the end of an epoch costs by itself: many epochs, one after the other, in which each rank\n" +
			"sends no pebble, or a few to the rank after it. Every rank checks after each that all have come.",
		Example: "  pebbles epochs\n" +
			"  pebbles epochs --ranks 8 --termination skr --json\n" +
			"  pebbles epochs --procs 2 --pebbles 1",
	}
	config := epochs.Config{Count: 1000}
	c.Flags().Var(count(&config.Count, 1, ""), "count", "epochs")
	c.Flags().Var(count(&config.Pebbles, 0, "0"), "pebbles", "pebbles that each rank sends in each epoch")
	appCommand(t, c, application{
		check: func(*settings, givenFlags) error { return config.Check() },
		run:   runs(&config, "epochs", epochs.Run),
	})
	return unused(c, "nothing is random", "seed")
}
