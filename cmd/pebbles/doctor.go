package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
)

func newDoctor(t terminal) *cobra.Command {
	var inJSON, alone bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say which launcher has started this process, how it would join a job, and what libfabric can do here",
		Long: "doctor says which launcher has started this process, by which variables it sees that, and how the process would find\n" +
			"the others of its job. Start it as the program that does not start: mpiexec -n 4 pebbles doctor. It also lists the providers of\n" +
			"libfabric, for transport ofi, and what is missing for them. Its status is 1 when it finds a problem; a job needs no libfabric.",
		Example: "  pebbles doctor\n  pebbles doctor --json",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if t.begin != nil {
				return t.begin(nil)
			}
			f := launch.Examine(c.Context(), alone)
			fabric, lines := examineFabric()
			if err := written(printFinding(t, f, fabric, lines, inJSON)); err != nil {
				return err
			}
			if f.Problem != "" {
				return &failure{status: launch.ExitError}
			}
			return nil
		},
	}
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&inJSON, "json", false, "print one JSON object instead of a table")
	c.Flags().BoolVar(&alone, "alone", false, "as a program would do that is given this flag")
	return c
}

// printFinding prints all lines at once: other tasks print theirs at the same time. lines say what fabric does.
func printFinding(t terminal, f launch.Finding, fabric any, lines [][2]string, inJSON bool) error {
	if inJSON {
		return json.NewEncoder(t.stdout).Encode(struct {
			launch.Finding

			Libfabric any `json:"libfabric,omitempty"`
		}{f, fabric})
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	launcher := f.Launcher
	if launcher == "" {
		launcher = "none: this process has a job of its own"
	}
	fmt.Fprintf(w, "launcher\t%s\n", launcher)
	if len(f.Because) > 0 {
		fmt.Fprintf(w, "because\t%s\n", strings.Join(f.Because, " "))
	}
	if f.Launcher != "" {
		fmt.Fprintf(w, "process\t%d of %d\n", f.Process, f.Processes)
		fmt.Fprintf(w, "meets the others\t%s\n", f.Meets)
	}
	if f.Listens != "" {
		fmt.Fprintf(w, "listens at\t%s\n", f.Listens)
	}
	fmt.Fprintf(w, "host\t%s\n", f.Host)
	fmt.Fprintf(w, "cores\t%d\n", f.Cores)
	fmt.Fprintf(w, "open files\t%d needed, %d allowed\n", f.NeedFiles, f.OpenFiles)
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%s\n", l[0], l[1])
	}
	if f.Problem != "" {
		fmt.Fprintf(w, "problem\t%s\n", f.Problem)
	}
	_ = w.Flush() // to memory
	_, err := t.stdout.Write([]byte(b.String()))
	return err
}
