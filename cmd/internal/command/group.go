package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/group"
)

func newGroup(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "group FILE...",
		Short: "Group the rows of tables, with counts, sums, means and extremes",
		Long: "group groups the rows of tables by the values of the columns --by: CSV, TSV, JSON Lines, Avro or\n" +
			"Parquet files, also compressed. The result has a row for each group, in the order of the keys\n" +
			"(numbers by value, then texts, then rows without a value), with the columns --by and then a column\n" +
			"for each flag, in the order of the flags, such as count or sum_fare. --mean, --min and --max without\n" +
			"=COLUMN are of the columns of --sum. Rows without a value count, and are left out otherwise; other\n" +
			"text is an error. Rows are merged before they travel. Integers of 64 bits are exact.\n" +
			"Sums have 100 bits, so they do not depend on the number of ranks, unless numbers cancel out.\n" +
			"Sums over all rows are compared with those over all groups.",
		Example: "  pebbles group trips.csv --by city --sum fare --count --mean --min --max --output cities.csv\n" +
			"  pebbles group 'trips/*.parquet' --by city,hour --mean=fare --top 10",
	}
	var config group.Config
	var by string
	f := c.Flags()
	f.StringVar(&by, "by", "", "columns of the key, as `NAME[,NAME]` (default none: all rows are one group)")
	all := &aggregates{}
	f.Var(all.flag(group.Sum), "sum", "sums of these columns, as `COLUMN[,COLUMN]`")
	f.Var(all.flag(group.Count), "count", "number of rows")
	f.Var(all.flag(group.Mean), "mean", "means of these columns")
	f.Var(all.flag(group.Min), "min", "minima of these columns")
	f.Var(all.flag(group.Max), "max", "maxima of these columns")
	f.Lookup("count").NoOptDefVal = counted
	for _, name := range []string{"mean", "min", "max"} {
		f.Lookup(name).NoOptDefVal = summed
	}
	lenient(c, &config.Input)
	outputFlags(c, &config.Output, "the groups", "values of the first flag")
	var space spaceFlags
	space.register(c)
	appCommand(t, c, byConfig(&config, "rows", group.Run, func(_ *settings, given givenFlags) (err error) {
		config.Files = f.Args()
		if config.By, err = columnsOf("by", by, given); err != nil {
			return err
		}
		if config.Aggregates, err = all.columns(); err != nil {
			return err
		}
		if err := all.strayed(config.Files); err != nil {
			return err
		}
		config.Space, err = space.space(given)
		return err
	}))
	c.Args = cobra.ArbitraryArgs
	return unused(c, "rows are merged on their way in a cache of their own", "cache")
}

// summed stands for the columns of --sum.
const summed = "those of --sum"

// counted is the value of --count, like that of flags without a value.
const counted = "true"

// aggregates holds the flags for columns of the result, in their order.
type aggregates struct{ list []group.Aggregate }

func (a *aggregates) flag(f group.Function) *aggregate { return &aggregate{a, f} }

// aggregate is the flag of a function.
type aggregate struct {
	all      *aggregates
	function group.Function
}

// Type implements pflag.Value. The help shows nothing for a flag of type bool.
func (v *aggregate) Type() string {
	if v.function == group.Count {
		return "bool"
	}
	return "COLUMN"
}

func (v *aggregate) String() string { return "" }

func (v *aggregate) Set(text string) error {
	if v.function == group.Count {
		if text != counted {
			return fmt.Errorf("counts rows: leave %q out", text)
		}
		v.all.list = append(v.all.list, group.Aggregate{Function: group.Count})
		return nil
	}
	for _, name := range strings.Split(text, ",") {
		if name == "" {
			return fmt.Errorf("has an empty name: list columns with commas between them")
		}
		v.all.list = append(v.all.list, group.Aggregate{Function: v.function, Column: name})
	}
	return nil
}

// strayed returns an error for a file that is rather the column of a flag whose value needs a =.
func (a *aggregates) strayed(files []string) error {
	bare := slices.IndexFunc(a.list, func(one group.Aggregate) bool { return one.Column == summed })
	for _, file := range files {
		if _, err := os.Stat(file); bare >= 0 && err != nil && filepath.Ext(file) == "" {
			return fmt.Errorf("no file %s: if it is a column, name it behind a =, as in --%s=%s", file,
				a.list[bare].Function, file)
		}
	}
	return nil
}

// columns returns the aggregates, with the columns of --sum for those that name none.
func (a *aggregates) columns() (list []group.Aggregate, err error) {
	var sums []string
	for _, one := range a.list {
		if one.Function == group.Sum {
			sums = append(sums, one.Column)
		}
	}
	for _, one := range a.list {
		if one.Column != summed {
			list = append(list, one)
			continue
		}
		if len(sums) == 0 {
			return nil, fmt.Errorf("--%s has no column: write --%s=COLUMN, or name columns by --sum", one.Function, one.Function)
		}
		for _, name := range sums {
			list = append(list, group.Aggregate{Function: one.Function, Column: name})
		}
	}
	return list, nil
}
