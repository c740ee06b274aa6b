package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/permutation"
)

func newPermutation(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "permutation",
		Short: "Put data in the order of a permutation, both spread over all ranks",
		Long: "permutation is the second benchmark of the Active Pebbles paper: each element travels to the rank that knows its\n" +
			"place, and from there to its place. Every element of the result is verified.",
		Example: "  pebbles permutation\n" +
			"  pebbles permutation --ranks 4 --log2-elements 18 --seed 7 --json\n" +
			"  pebbles permutation --procs 2 --coalesce 512",
	}
	config := permutation.Config{Log2Elements: 20}
	c.Flags().Var(count(&config.Log2Elements, 1, ""), "log2-elements", "binary logarithm of the elements of each rank, 24 bytes each")
	return appCommand(t, c, application{
		check: valid(&config, nil), run: runs(&config, "elements", permutation.Run),
	})
}
