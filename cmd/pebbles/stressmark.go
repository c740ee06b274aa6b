package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/stressmark"
	"github.com/activepebbles/pebbles/pebble"
)

func newStressmark(t terminal) *cobra.Command {
	return group(&cobra.Command{
		Use:   "stressmark",
		Short: "Run one of the DIS Stressmarks, whose ranks read and write one distributed array",
		Long: "stressmark runs four of the DIS Stressmarks, as XLUPC does: programs whose ranks read and write one distributed\n" +
			"array, near or remote. What each finds is verified, and does not depend on the number of ranks.",
		Example: "  pebbles stressmark pointer\n" +
			"  pebbles stressmark field --procs 2 --transport tcp --json",
	}, newPointer(t), newUpdate(t), newNeighborhood(t), newField(t))
}

// stressmarkCommand is appCommand for a stressmark: no pebble travels but for addresses.
func stressmarkCommand[C interface{ Check() error }, R result](t terminal, c *cobra.Command, config *C, counts string,
	seed *uint64, run func(*pebble.Rank, C) (R, error)) *cobra.Command {
	appCommand(t, c, application{
		of: "stressmark",
		check: func(s *settings, _ givenFlags) error {
			*seed = s.Seed
			return (*config).Check()
		},
		run: runs(config, counts, run),
	})
	return unused(c, "no pebble is sent but for addresses", "coalesce", "cache")
}

func newPointer(t terminal) *cobra.Command {
	return chasing(t, stressmark.Pointer, &cobra.Command{
		Use:   "pointer",
		Short: "Follow a chain of pointers through a distributed array on every rank",
		Long: "pointer is the Pointer Stressmark: each rank reads a few words next to each other, and their median says where it reads next,\n" +
			"until it comes to one of a few places, or has made as many hops as it may. Each rank has its own start and end.",
		Example: "  pebbles stressmark pointer\n" +
			"  pebbles stressmark pointer --procs 2 --transport tcp --hops 1000 --json",
	})
}

func newUpdate(t terminal) *cobra.Command {
	return chasing(t, stressmark.Update, &cobra.Command{
		Use:   "update",
		Short: "Follow a chain of pointers on one rank, and write a word at each hop",
		Long: "update is the Update Stressmark: rank 0 follows a chain of pointers as in pebbles stressmark pointer, and writes the sum of what it\n" +
			"has read to where it has read it. The other ranks have nothing to do. The whole array is compared with that of a serial run.",
		Example: "  pebbles stressmark update\n" +
			"  pebbles stressmark update --procs 2 --window 15 --json",
	})
}

// chasing is the command of either.
func chasing(t terminal, run func(*pebble.Rank, stressmark.PointerConfig) (stressmark.PointerResult, error),
	c *cobra.Command) *cobra.Command {
	config := stressmark.PointerConfig{Words: 1 << 18, Window: 7, Hops: 4096}
	f := c.Flags()
	f.Var(count(&config.Words, 1, ""), "words", "words of the array, 16 to 16777216")
	f.Var(count(&config.Window, 1, ""), "window", "words that a hop reads, an odd number to 15")
	f.Var(count(&config.Hops, 1, ""), "hops", "hops of a chain at most")
	f.Var(count(&config.Stop, 1, "one in 1024"), "stop", "places that end a chain")
	return stressmarkCommand(t, c, &config, "hops", &config.Seed, run)
}

func newNeighborhood(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "neighborhood",
		Short: "Compare pixels of a distributed image at two distances in four directions",
		Long: "neighborhood is the Neighborhood Stressmark: it counts the pairs of pixels of an image by their sum and by their difference, at a\n" +
			"short and at a long distance, at 0, 45, 90 and 135 degrees, and prints entropy and energy of the counts. The image has random lines.",
		Example: "  pebbles stressmark neighborhood\n" +
			"  pebbles stressmark neighborhood --ranks 4 --side 1000 --bits 12 --long 100 --json",
	}
	config := stressmark.NeighborhoodConfig{Side: 512, Bits: 8, Short: 1}
	f := c.Flags()
	f.Var(count(&config.Side, 1, ""), "side", "rows of the image, and pixels of a row, 4 to 32768")
	f.Var(count(&config.Bits, 1, ""), "bits", "bits of a pixel, 7 to 15")
	f.Var(count(&config.Lines, 1, "one for each row"), "lines", "lines that are drawn")
	f.Var(count(&config.Short, 1, ""), "short", "short distance, in pixels")
	f.Var(count(&config.Long, 1, "10, or half of a smaller side"), "long", "long distance, in pixels")
	return stressmarkCommand(t, c, &config, "rows", &config.Seed, stressmark.Neighborhood)
}

func newField(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "field",
		Short: "Search a distributed string for tokens, and change them",
		Long: "field is the Field Stressmark: one token after the other is searched for in a string of random bytes. What lies between two\n" +
			"of them is a sample set, of which count, minimum and sum are taken; then the tokens that were found are changed. Ranks read the\n" +
			"first few bytes of the next one's part, and the bytes that tokens are changed by.",
		Example: "  pebbles stressmark field\n" +
			"  pebbles stressmark field --procs 2 --bytes 1000000 --tokens 8 --values 16 --json",
	}
	config := stressmark.FieldConfig{Bytes: 1 << 18, Tokens: 16, TokenBytes: 4, Offset: 1021, Values: 256}
	f := c.Flags()
	f.Var(count(&config.Bytes, 1, ""), "bytes", "bytes of the string, 16 to 16777216")
	f.Var(count(&config.Tokens, 1, ""), "tokens", "tokens that are searched for, to 256")
	f.Var(count(&config.TokenBytes, 1, ""), "token-bytes", "bytes of the longest token, to 8")
	f.Var(count(&config.Offset, 1, ""), "offset", "how far on the bytes are that tokens are changed by, to 65535")
	f.Var(count(&config.Values, 2, ""), "values", "values that a byte has, to 256")
	return stressmarkCommand(t, c, &config, "tokens", &config.Seed, stressmark.Field)
}
