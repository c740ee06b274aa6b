package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/sort"
	"github.com/activepebbles/pebbles/container"
)

// spaceFlags name the place of rows that exceed the memory.
type spaceFlags struct {
	memory  size
	scratch string
}

func (b *spaceFlags) register(c *cobra.Command) {
	c.Flags().Var(&b.memory, "space",
		"memory for rows per rank, before they spill to files (default half of the free memory)")
	c.Flags().StringVar(&b.scratch, "scratch", "", "`folder` for spilled rows (default the temporary folder)")
}

func (b *spaceFlags) space(given givenFlags) (container.Budget, error) {
	switch {
	case given("space") && b.memory == 0:
		return container.Budget{}, errors.New("--space is 0: give a size above 0, or leave it out")
	case given("scratch") && b.scratch == "":
		return container.Budget{}, errors.New("--scratch is empty: name a folder")
	}
	return container.Budget{Memory: int64(b.memory), Scratch: b.scratch}, nil
}

func newSort(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "sort [FILE...]",
		Short: "Sort numbers, lines of files, or rows of tables",
		Long: "sort sorts the lines of files in the order of their bytes, as LC_ALL=C sort does: plain files, or\n" +
			"compressed by gzip or zstd. Without files it sorts numbers that the seed names. Rows that have no\n" +
			"room in memory go to files of a scratch folder, in runs, which are merged when they are read.\n\n" +
			"--column sorts by a column of CSV, TSV, JSON Lines, Avro or Parquet files, whose names say so, or\n" +
			"by a field between blanks of other files. --numeric sorts by numbers as sort -g does, with signs,\n" +
			"decimals, exponents and infinities, exactly; NaN and then texts come last. Equal lines are in the\n" +
			"order of their bytes, equal rows of tables in that of the files.\n\n" +
			"--output writes the rows to one file, which appears when it is complete and verified. Its extension\n" +
			"names the format of a table: .csv, .tsv, .jsonl, .avro or .parquet. Lines are written as they are,\n" +
			"but to .jsonl, .avro and .parquet as the column \"line\".",
		Example: "  pebbles sort --numbers 100000000 --ranks 2\n" +
			"  pebbles sort 'logs/*.txt.zst' --output sorted.txt\n" +
			"  pebbles sort trips.csv --column fare --numeric --reverse --output trips.parquet\n" +
			"  pebbles sort --numbers 1000000000 --space 1GiB --scratch /var/tmp --json",
	}
	var config sort.Config
	var space spaceFlags
	f := c.Flags()
	f.Var(Count(&config.Numbers, 1, "10000000"), "numbers", "numbers to sort, on all ranks together")
	f.Var(Count(&config.Distinct, 1, "all"), "distinct", "number of different ones among them at most")
	f.StringVar(&config.Column, "column", "", "sort by this column: its `NAME`, or its number from 1")
	f.BoolVar(&config.Numeric, "numeric", false, "sort by numbers, not by bytes; NaN and text last")
	f.BoolVar(&config.Reverse, "reverse", false, "sort in descending order")
	f.BoolVar(&config.Unique, "unique", false, "keep the first of rows with equal keys")
	lenient(c, &config.Input)
	f.StringVar(&config.Output.Path, "output", "", "write the rows in order to this `FILE`")
	f.BoolVar(&config.Output.Replace, "replace", false, "replace the output if it exists")
	space.register(c)
	appCommand(t, c, byConfig(&config, "rows", sort.Run, func(_ *settings, given givenFlags) (err error) {
		config.Files = f.Args()
		if config.Space, err = space.space(given); err != nil {
			return err
		}
		return sortFlags(&config, given)
	}))
	c.Args = cobra.ArbitraryArgs
	return unused(c, "nothing can be merged", "cache")
}

// sortFlags rejects flags of a sort that cannot be combined.
func sortFlags(config *sort.Config, given givenFlags) error {
	for _, name := range []string{"numbers", "distinct"} {
		if len(config.Files) > 0 && given(name) {
			return errors.New("--" + name + " is for generated numbers: leave it out with files")
		}
	}
	for _, name := range []string{"column", "numeric", "reverse", "unique", "lenient"} {
		if len(config.Files) == 0 && given(name) {
			return errors.New("--" + name + " is for files: name files, or leave it out")
		}
	}
	switch {
	case given("column") && config.Column == "":
		return errors.New("--column is empty: name a column, or leave it out")
	case given("output") && config.Output.Path == "":
		return errors.New("--output is empty: name a file")
	case config.Output.Replace && config.Output.Path == "":
		return errors.New("--replace is for a file that is written: add --output, or leave it out")
	}
	return nil
}
