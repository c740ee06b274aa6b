package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/epochs"
	"github.com/activepebbles/pebbles/pebble"
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
	times, pebbles := 1000, 0
	c.Flags().Var(count{&times, 1, ""}, "count", "epochs")
	c.Flags().Var(count{&pebbles, 0, "0"}, "pebbles", "pebbles that each rank sends in each epoch")
	var config epochs.Config
	appCommand(t, c, application{
		check: func(*settings, *cobra.Command) error {
			config.Count, config.Pebbles = uint64(times), uint64(pebbles)
			return config.Check()
		},
		run: func(r *pebble.Rank, _ *settings, p progress) (outcome, error) {
			config := config
			config.Progress = p.of("epochs")
			result, err := epochs.Run(r, config)
			return outcome{result.Report, result, result.Rows()}, err
		},
	})
	c.Flags().Lookup("seed").Usage = "has no effect here: nothing is random"
	return c
}
