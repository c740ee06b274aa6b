package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/randomaccess"
)

func newRandomAccess(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "randomaccess",
		Short: "Update random words of a table that is spread over all ranks, by the rules of HPCC",
		Long: "randomaccess is the RandomAccess benchmark of the HPC Challenge: updates of random words of a table that is\n" +
			"spread over all ranks, verified by running them again. By default at most 1,024 updates wait in a rank, as the\n" +
			"benchmark demands; a --coalesce of one's own may go beyond, and the result tells.",
		Example: "  pebbles randomaccess\n" +
			"  pebbles randomaccess --ranks 2 --log2-words 22 --json\n" +
			"  pebbles randomaccess --procs 4 --topology hypercube --coalesce 4096",
	}
	config := randomaccess.Config{Log2Words: 20, UpdatesPerWord: 4}
	c.Flags().Var(count(&config.Log2Words, 1, ""), "log2-words", "binary logarithm of the words of each rank, 8 bytes each")
	c.Flags().Float64Var(&config.UpdatesPerWord, "updates-per-word", config.UpdatesPerWord, "updates of a word in the mean")
	c.Flags().IntVar(&config.Epoch, "epoch", 0, "updates of a rank until all ranks wait for each other; 0 for all")
	c.Flags().BoolVar(&config.OneByOne, "one-by-one", false, "send each update by a call of its own, not in batches")
	appCommand(t, c, application{
		check: valid(&config, func(s *settings, given givenFlags) error {
			if config.UpdatesPerWord == 0 {
				return errors.New("--updates-per-word 0 leaves nothing to do: give a positive number")
			}
			if config.Tuned = s.autos().Coalesce; !config.Tuned && given("coalesce") {
				config.Coalesce = s.number("coalesce")
			}
			return nil
		}),
		run: runs(&config, "updates", randomaccess.Run),
	})
	return unused(c, "the benchmark says which numbers are random", "seed")
}
