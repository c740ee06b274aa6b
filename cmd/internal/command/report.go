package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/watch/record"
)

// newReport returns the command that reads the record of a job.
func newReport(t Terminal) *cobra.Command {
	var page string
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Summarize the record of a job: how it ended, which rank failed first",
		Long: "report reads the record of a job, the folder of its --record, while the job runs or after its end.\n" +
			"It prints a summary and writes a page, one file that needs no other. It names the parts of the\n" +
			"record that it cannot read, and reports the rest.",
		Example: "  pebbles report job\n  pebbles report --html none job",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if t.Begin != nil {
				return t.Begin(nil)
			}
			r, err := record.Read(args[0])
			if err != nil {
				return &Failure{launch.ExitError, err}
			}
			if page == "" {
				page = filepath.Join(args[0], "report.html")
			}
			if page != "none" {
				if err := create(page, r.HTML); err != nil {
					return &Failure{launch.ExitError, fmt.Errorf("write the page of the report: %w", err)}
				}
				fmt.Fprintf(t.Stderr, "the page is in %s\n", page)
			}
			return Written(r.Text(t.Stdout))
		},
	}
	c.Flags().StringVar(&page, "html", "", "write the page to this `file`, or none (default report.html in the folder)")
	return c
}

// recordEnds adds the launcher's observations to the record of a job: the end of each process, and the first to fall.
func recordEnds(dir, program string, began time.Time, result launch.Result, err error) error {
	if dir == "" || result.Job == "" {
		return nil
	}
	l, failed := record.CreateLauncher(dir, result.Job, program, len(result.Outcomes), began)
	if failed != nil {
		return failed
	}
	var first *launch.FailedError
	errors.As(err, &first)
	now := time.Now()
	for _, process := range result.Order {
		fell := first != nil && first.First.Process == process
		if failed = l.Ended(now, process, result.Outcomes[process].String(), fell); failed != nil {
			break
		}
	}
	how := ""
	if err != nil {
		how = err.Error()
	}
	if closed := l.Close(now, how); failed == nil {
		failed = closed
	}
	return failed
}
