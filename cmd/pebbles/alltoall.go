package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/alltoall"
)

func newAllToAll(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "alltoall",
		Short: "Send small items from every rank to every other, in many rounds",
		Long: "alltoall is the fine-grained all-to-all benchmark of the TRAM paper: every rank sends an item of a few bytes to\n" +
			"every other rank, round after round without waiting. Every byte of every item is verified, and that each came once.\n" +
			"Items of 8, 16, 32 and 64 bytes travel as they lie in memory, others through a codec, which takes longer.",
		Example: "  pebbles alltoall\n" +
			"  pebbles alltoall --ranks 16 --topology hypercube --bytes 64 --json\n" +
			"  pebbles alltoall --procs 2 --bytes 1000 --rounds 5000",
	}
	config := alltoall.Config{Bytes: 32}
	c.Flags().Var(count(&config.Bytes, 1, ""), "bytes", "size of an item, up to 65536")
	c.Flags().Var(count(&config.Rounds, 1, "as many as make a million items a rank, or 64 MiB"), "rounds",
		"items from each rank to each other")
	appCommand(t, c, application{check: valid(&config, nil), run: runs(&config, "items", alltoall.Run)})
	return unused(c, "no two items are equal", "cache")
}
