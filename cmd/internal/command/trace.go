package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/watch/trace"
)

// newTrace returns the command that joins the traces of a job's processes.
func newTrace(t Terminal) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "trace FILE...",
		Short: "Join the traces of all processes into one file for Perfetto",
		Long: "trace reads the files that the processes of a job have written with --trace, and joins them into\n" +
			"one file for ui.perfetto.dev or trace_processor. It names unreadable parts, and uses the rest.",
		Example: "  pebbles trace -o all.pftrace bfs-0.pftrace bfs-1.pftrace",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			if out == "" {
				return errors.New("no output is named: give -o FILE")
			}
			for _, file := range files {
				if same(file, out) {
					return fmt.Errorf("%s is read and would be written: give another -o", out)
				}
			}
			if t.Begin != nil {
				return t.Begin(nil)
			}
			var sum trace.Summary
			err := create(out, func(w io.Writer) (err error) {
				sum, err = trace.Merge(w, files)
				return err
			})
			if err != nil {
				return &Failure{launch.ExitError, fmt.Errorf("join traces: %w", err)}
			}
			_, err = fmt.Fprintln(t.Stdout, &sum)
			return Written(err)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "`file` to write")
	return c
}

// same reports whether two names refer to one file.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y) || filepath.Clean(a) == filepath.Clean(b)
}
