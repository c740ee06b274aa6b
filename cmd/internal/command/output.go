package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps"
)

// outputFlags adds the flags of an application whose result has rows, such as "vertex,score", which --top ranks by a
// column. Call it before appCommand, so that these flags precede the shared ones.
func outputFlags(c *cobra.Command, o *apps.Output, columns, by string) {
	f := c.Flags()
	f.StringVar(&o.Path, "output", "", "write "+columns+" to this `FILE`: .csv, .tsv, .jsonl, .avro or .parquet, text "+
		"also with .gz or .zst; FILE/ is a folder of parts")
	f.BoolVar(&o.Replace, "replace", false, "replace the output if it exists")
	f.Var(Count(&o.Top, 1, "none"), "top", "print the `N` rows with the highest "+by)
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		given := c.Flags().Changed
		switch {
		case given("output") && o.Path == "":
			return errors.New("--output is empty: name a file")
		case o.Replace && o.Path == "":
			return errors.New("--replace is for a file that is written: add --output, or leave it out")
		}
		return o.Check()
	}
}
