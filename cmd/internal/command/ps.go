package command

import (
	"encoding/json"
	"fmt"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/watch/jobs"
)

func newPs(t Terminal) *cobra.Command {
	inJSON := false
	c := &cobra.Command{
		Use:   "ps",
		Short: "List your jobs on this host",
		Long: "ps lists the jobs whose process 0 this user runs on this host, the oldest first. The address of\n" +
			"a job's page, which it has with --http, comes without its token: pebbles top finds that by the job\n" +
			"or the pid. The exit status is 1 when something in the list can't be read.",
		Example: "  pebbles ps\n  pebbles ps --json",
		Args:    NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if t.Begin != nil {
				return t.Begin(nil)
			}
			return Failed(ps(t, inJSON))
		},
	}
	c.Flags().BoolVar(&inJSON, "json", false, "print one JSON object instead of a table")
	return c
}

// ps prints the readable entries, even if others are unreadable.
func ps(t Terminal, inJSON bool) error {
	all, wrong := jobs.List()
	for i := range all {
		all[i].URL = withoutToken(all[i].URL)
	}
	if err := printJobs(t, all, inJSON, wrong == nil); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return wrong
}

func printJobs(t Terminal, all []jobs.Entry, inJSON, whole bool) error {
	switch {
	case inJSON:
		e := json.NewEncoder(t.Stdout)
		e.SetEscapeHTML(false)
		return e.Encode(map[string][]jobs.Entry{"jobs": append([]jobs.Entry{}, all...)})
	case len(all) == 0 && whole:
		_, err := fmt.Fprintln(t.Stdout, "You run no job on this host.")
		return err
	case len(all) == 0:
		return nil
	}
	w := tabwriter.NewWriter(t.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PID\tJOB\tPROGRAM\tRANKS\tPROCESSES\tAGE\tURL")
	for _, e := range all {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%s\t%s\n", e.PID, orDash(e.Job), orDash(e.Program), e.Ranks, e.Processes,
			spanText(time.Since(e.Started).Seconds()), orDash(e.URL))
	}
	return w.Flush()
}

// orDash returns a nonempty word for a table.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return escaped(text)
}

// withoutToken returns a URL that may be shown.
func withoutToken(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
