package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/ping"
)

func newPing(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "ping",
		Short: "Stream messages from half of the ranks to the other half, and time them",
		Long: "ping is the ping test of the Grappa paper: each rank of the first half of the job sends messages to one rank of the second\n" +
			"half, as fast as it can. --coalesce 1 sends each message by itself, which shows what buffers gain. All bytes are verified.",
		Example: "  pebbles ping --ranks 2\n" +
			"  pebbles ping --procs 2 --bytes 8 --coalesce 1 --json\n" +
			"  pebbles ping --procs 2 --ranks 4 --transport tcp --bytes 4096",
	}
	var config ping.Config
	c.Flags().Var(count(&config.Bytes, 1, "32"), "bytes", "bytes of a message, a power of two from 8 to 4096")
	c.Flags().Var(count(&config.Messages, 1, "64 MiB of them, at most 1048576"), "messages",
		"messages that each sender sends")
	appCommand(t, c, application{check: valid(&config, nil), run: runs(&config, "messages", ping.Run)})
	return unused(c, "nothing can be merged", "cache")
}
