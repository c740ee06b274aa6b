package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/join"
)

func newJoin(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "join [LEFT RIGHT]",
		Short: "Join two tables by equal keys",
		Long: "join joins two tables of files by the columns --on: CSV, TSV, JSON Lines, Avro or Parquet, also\n" +
			"compressed, each a file, a pattern in quotes, or a folder. Results have the columns of the left\n" +
			"table, and then those of the right one but for its key; a name that both have gets _right in the\n" +
			"right one. They are in the order of keys: numbers by value, then texts. Keys are equal if their\n" +
			"texts are.\n" +
			"Without files it joins generated rows. Rows that have no room in memory go to files of a scratch\n" +
			"folder. Results are counted and summed, which is checked by sums of the rows of each key.\n\n" +
			"Kinds: inner gives each pair; left is inner, and gives left rows without a right one too; full is\n" +
			"left, and gives right rows without a left one too; semi gives left rows that have a right one, anti\n" +
			"those that have none.",
		Example: "  pebbles join trips.csv drivers.parquet --on driver --kind left --output joined.csv\n" +
			"  pebbles join 'orders/*.jsonl' customers.csv.gz --on customer=id,country --output joined.parquet\n" +
			"  pebbles join --left 100000000 --right 1000000 --zipf 1.2 --ranks 2 --json\n" +
			"  pebbles join --kind anti --right 50000000 --space 256MiB --scratch /var/tmp",
	}
	var config join.Config
	var kind Word
	var on string
	var space spaceFlags
	f := c.Flags()
	f.StringVar(&on, "on", "", "columns of the key, as `NAME[,NAME]`; NAME=RIGHT if the right table calls it RIGHT")
	Words(c, &kind, "kind", string(join.Inner), names(join.Kinds), "which rows are given")
	lenient(c, &config.Input)
	f.StringVar(&config.Output.Path, "output", "", "write the results to this `FILE`: .csv, .tsv, .jsonl, .avro "+
		"or .parquet")
	f.BoolVar(&config.Output.Replace, "replace", false, "replace the output if it exists")
	space.register(c)
	f.Var(Count(&config.Left, 1, "10000000"), "left", "generated left rows, on all ranks together")
	f.Var(Count(&config.Right, 1, "1000000"), "right", "generated right rows, on all ranks together")
	f.Var(Count(&config.Keys, 1, "the right rows"), "keys", "different keys of generated rows at most")
	f.Float64Var(&config.Zipf, "zipf", 0, "exponent of the frequencies of generated left keys; 0 is all alike")
	appCommand(t, c, byConfig(&config, "rows", join.Run, func(_ *settings, given givenFlags) (err error) {
		config.Kind, config.Files = join.Kind(kind.Text), f.Args()
		if config.On, err = columnsOf("on", on, given); err != nil {
			return err
		}
		config.Space, err = space.space(given)
		return err
	}))
	c.Args = cobra.ArbitraryArgs
	return unused(c, "nothing can be merged", "cache")
}

// columnsOf returns the names that a flag lists.
func columnsOf(flag, text string, given givenFlags) ([]string, error) {
	if !given(flag) {
		return nil, nil
	}
	all := strings.Split(text, ",")
	for _, name := range all {
		if name == "" {
			return nil, errors.New("--" + flag + " has an empty name: list columns with commas between them")
		}
	}
	return all, nil
}
