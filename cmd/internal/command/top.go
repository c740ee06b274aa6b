package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/watch/jobs"
)

// top is the command that shows a job while it runs.
type top struct {
	Terminal
	once bool
	json bool
}

func newTop(t Terminal) *cobra.Command {
	w := &top{Terminal: t}
	c := &cobra.Command{
		Use:   "top [JOB | PID | URL]",
		Short: "Watch a running job, rank by rank and link by link",
		Long: "top shows a job that runs with --http: its waits, the status of the application, its rates, and\n" +
			"the work of each rank and each link, once per second. Without an argument it shows the only one\n" +
			"that you run on this host; pebbles ps lists them. A job elsewhere is named by the address that it\n" +
			"has printed. The key ? explains the keys and the columns. Without a terminal it prints the job\n" +
			"once. The exit status is 0 when the job ends meanwhile.",
		Example: "  pebbles top\n  pebbles top 4711\n  pebbles top --once\n  pebbles top --json 3f9c2a",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("unexpected argument %q: give one job, pid or address", args[1])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if t.Begin != nil {
				return t.Begin(nil)
			}
			return Failed(w.run(strings.Join(args, "")))
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return watchable(args), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&w.once, "once", false, "print the job once, as text")
	f.BoolVar(&w.json, "json", false, "print the job once, as one JSON object")
	return c
}

// watchable completes the names of jobs with a page.
func watchable(args []string) (names []string) {
	if len(args) > 0 {
		return nil
	}
	all, _ := jobs.List()
	for _, e := range all {
		if e.URL != "" {
			names = append(names, nameOf(e))
		}
	}
	return names
}

// run finds the job and shows it.
func (t *top) run(name string) error {
	address, err := find(name)
	if err != nil {
		return err
	}
	r, err := newReader(address)
	if err != nil {
		return err
	}
	defer r.close()
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	out, interactive := unchecked(t.Stdout).(*os.File)
	interactive = interactive && !t.once && !t.json &&
		isTerminal(out) && isTerminal(t.Stdin) && os.Getenv("TERM") != "dumb"
	switch {
	case t.json:
		err = t.printJSON(ctx, r)
	case interactive:
		err = t.live(ctx, r.see, out)
	default:
		err = t.printOnce(ctx, r)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (t *top) printJSON(ctx context.Context, r *reader) error {
	text, err := patient(ctx, r.whole)
	if err != nil {
		return err
	}
	_, err = t.Stdout.Write(text)
	return err
}

// between is the time between two looks at a job: its page makes at most one sighting per second.
const between = time.Second

// printOnce looks twice, to compute rates. It also shows a job that ends between the looks.
func (t *top) printOnce(ctx context.Context, r *reader) error {
	s := newScreen(time.Now())
	if out, ok := unchecked(t.Stdout).(*os.File); ok && term.IsTerminal(int(out.Fd())) {
		s.width = widthOf(out)
	}
	first, err := patient(ctx, r.see)
	if err != nil {
		return err
	}
	s.show(time.Now(), first)
	pause(ctx, between+between/10)
	if second, err := r.see(ctx); err == nil {
		s.show(time.Now(), second)
	}
	_, err = fmt.Fprint(t.Stdout, s.text())
	return err
}

// patient repeats a request to a job that has no state yet.
func patient[T any](ctx context.Context, ask func(context.Context) (T, error)) (told T, err error) {
	for begun := time.Now(); ; pause(ctx, between/5) {
		told, err = ask(ctx)
		if !errors.Is(err, errNothingYet) || time.Since(begun) > firstWait {
			return told, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// live shows the job until it ends or the user quits.
func (t *top) live(ctx context.Context, see func(context.Context) (*sighting, error), out *os.File) error {
	l := &live{screen: newScreen(time.Now()), see: see}
	if err := l.run(ctx, t.Stdin, out); err != nil {
		return fmt.Errorf("the terminal has been left: %w", err)
	}
	return l.farewellTo(t.Stdout)
}
