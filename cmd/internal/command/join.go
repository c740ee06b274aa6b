package command

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/join"
)

func newJoin(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "join",
		Short: "Join two tables of rows by equal keys, on all ranks",
		Long: "join joins rows that the seed names, each a key and a payload: left ones, whose keys are all alike\n" +
			"or, with --zipf, few of them frequent, and right ones. Right rows that have no room in memory go to\n" +
			"files of a scratch folder, and then left rows too. Results are counted and summed, which is checked\n" +
			"by what the rows of each key come to without a join; small joins are compared with the serial twin.\n\n" +
			"Kinds: inner gives each pair; left is inner, and gives left rows without a right one too; semi gives\n" +
			"left rows that have a right one, anti those that have none.",
		Example: "  pebbles join\n" +
			"  pebbles join --left 100000000 --right 1000000 --zipf 1.2 --ranks 2 --json\n" +
			"  pebbles join --kind anti --right 50000000 --space 256MiB --scratch /var/tmp",
	}
	var config join.Config
	var kind Word
	var space spaceFlags
	f := c.Flags()
	f.Var(Count(&config.Left, 1, "10000000"), "left", "left rows, on all ranks together")
	f.Var(Count(&config.Right, 1, "1000000"), "right", "right rows, on all ranks together")
	f.Var(Count(&config.Keys, 1, "the right rows"), "keys", "keys that may come")
	f.Float64Var(&config.Zipf, "zipf", 0, "exponent by which some left keys come more often; 0 is all alike")
	Words(c, &kind, "kind", string(join.Inner), names(join.Kinds), "which rows are given")
	space.register(c)
	appCommand(t, c, byConfig(&config, "rows", join.Run, func(_ *settings, given givenFlags) (err error) {
		config.Kind = join.Kind(kind.Text)
		config.Space, err = space.space(given)
		return err
	}))
	return unused(c, "nothing can be merged", "cache")
}
