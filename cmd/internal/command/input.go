package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps"
)

// lenient adds the flag of applications that read files of records.
func lenient(c *cobra.Command, input *apps.Input) {
	c.Flags().BoolVar(&input.Lenient, "lenient", false, "skip records of files that cannot be read, and count them")
}

// skippedRows returns the rows of a summary for the records that a lenient run has skipped.
func skippedRows(r apps.Report) [][2]string {
	if r.Skipped == 0 {
		return nil
	}
	return [][2]string{
		{"skipped", Counted(uint64(r.Skipped), "record", "records") + " that could not be read"},
		{"", fmt.Sprint("first: ", r.FirstSkipped)},
	}
}
