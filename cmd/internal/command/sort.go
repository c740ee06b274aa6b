package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/sort"
	"github.com/activepebbles/pebbles/container"
)

// spaceFlags say where rows lie that have no room in memory.
type spaceFlags struct {
	memory  size
	scratch string
}

func (b *spaceFlags) register(c *cobra.Command) {
	c.Flags().Var(&b.memory, "space",
		"memory of each rank for rows, before they go to files (default half of what is free)")
	c.Flags().StringVar(&b.scratch, "scratch", "", "folder for these files (default the system's for temporary ones)")
}

func (b *spaceFlags) space(given givenFlags) (container.Space, error) {
	switch {
	case given("space") && b.memory == 0:
		return container.Space{}, errors.New("--space is 0: give a size above 0, or leave it out")
	case given("scratch") && b.scratch == "":
		return container.Space{}, errors.New("--scratch is empty: name a folder")
	}
	return container.Space{Memory: int64(b.memory), Scratch: b.scratch}, nil
}

func newSort(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "sort [FILE...]",
		Short: "Sort numbers, or the lines of files, by all ranks",
		Long: "sort sorts numbers that the seed names, or the lines of files in the order of their bytes, as\n" +
			"LC_ALL=C sort does: plain files, or compressed by gzip or zstd. Rows that have no room in memory go\n" +
			"to files of a scratch folder, in runs, which are merged when they are read. It checks that rows are\n" +
			"in order on each rank and from one rank to the next, and that their number and the sum of their\n" +
			"hashes have not changed.\n\n" +
			"--numeric takes lines for numbers below 2^64, and sorts these.\n" +
			"--output writes them to one file, in order; it is there when all is done and right, or not at all.",
		Example: "  pebbles sort --numbers 100000000 --ranks 2\n" +
			"  pebbles sort 'logs/*.txt.zst' --output sorted.txt\n" +
			"  pebbles sort --numbers 1000000000 --space 1GiB --scratch /var/tmp --json",
	}
	var config sort.Config
	var space spaceFlags
	f := c.Flags()
	f.Var(Count(&config.Numbers, 1, "10000000"), "numbers", "numbers to sort, on all ranks together")
	f.Var(Count(&config.Distinct, 1, "all"), "distinct", "how many of them differ at most")
	f.BoolVar(&config.Numeric, "numeric", false, "lines of files are numbers below 2^64")
	f.StringVar(&config.Output, "output", "", "write the rows in order to this file")
	f.BoolVar(&config.Replace, "replace", false, "replace the output if it is there")
	space.register(c)
	appCommand(t, c, byConfig(&config, "rows", sort.Run, func(_ *settings, given givenFlags) (err error) {
		config.Files = f.Args()
		for _, name := range []string{"numbers", "distinct"} {
			if len(config.Files) > 0 && given(name) {
				return errors.New("--" + name + " is for numbers that are made: leave it out with files")
			}
		}
		switch {
		case config.Numeric && len(config.Files) == 0:
			return errors.New("--numeric is for lines of files: name files, or leave it out")
		case given("output") && config.Output == "":
			return errors.New("--output is empty: name a file")
		case config.Replace && config.Output == "":
			return errors.New("--replace is for a file that is written: add --output, or leave it out")
		}
		config.Space, err = space.space(given)
		return err
	}))
	c.Args = cobra.ArbitraryArgs
	return unused(c, "nothing can be merged", "cache")
}
