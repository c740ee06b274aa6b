package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab/limits"
)

// newLimit returns the commands that measure upper bounds for pebbles-lab bench. Help hides them.
func newLimit(t command.Terminal) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "limit",
		Short:   "Measure the limits of this machine",
		Long:    "limit measures the upper limits of applications on this machine. pebbles-lab bench calls it.",
		Example: "  pebbles-lab limit updates --json",
		Hidden:  true,
	}, newLimitUpdates(t), newLimitPermutation(t), newLimitCopy(t), newLimitSwitch(t),
		newLimitPair(t, "tcp", "Move messages between two processes over a bare TCP connection", limits.TCP,
			limits.AnswerTCP),
		newLimitPair(t, "ring", "Move messages between two processes through a bare ring in shared memory", limits.Ring,
			func(p limits.Pair, _ string) error { return limits.AnswerRing(p) }))
}

// limitCommand completes a command that prints a report.
func limitCommand(t command.Terminal, c *cobra.Command, measure func() (limits.Report, error)) *cobra.Command {
	inJSON := c.Flags().Bool("json", false, "print one JSON object instead of a table")
	c.Args = command.NoArguments
	c.RunE = func(*cobra.Command, []string) error {
		if t.Begin != nil {
			return t.Begin(nil)
		}
		r, err := measure()
		if err != nil {
			return command.Failed(err)
		}
		if err := command.Written(printLimit(t, r, *inJSON)); err != nil {
			return err
		}
		if r.Errors > 0 {
			return &command.Failure{Status: launch.ExitError, Err: fmt.Errorf("%d words were wrong", r.Errors)}
		}
		return nil
	}
	return c
}

func printLimit(t command.Terminal, r limits.Report, inJSON bool) error {
	if inJSON {
		return json.NewEncoder(t.Stdout).Encode(r)
	}
	w := tabwriter.NewWriter(t.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\n", r.App, command.SecondsText(r.Seconds))
	if r.UpdatesPerSecond > 0 {
		fmt.Fprintf(w, "updates per second\t%.4g million\n", r.UpdatesPerSecond/1e6)
	}
	if r.ElementsPerSecond > 0 {
		fmt.Fprintf(w, "elements per second\t%.4g million\n", r.ElementsPerSecond/1e6)
	}
	if r.BytesPerSecond > 0 {
		fmt.Fprintf(w, "bytes per second\t%.4g billion\n", r.BytesPerSecond/1e9)
	}
	if r.SecondsPerHop > 0 {
		fmt.Fprintf(w, "time of a hop\t%.4g µs\n", r.SecondsPerHop*1e6)
	}
	return w.Flush()
}

func newLimitUpdates(t command.Terminal) *cobra.Command {
	u := limits.Updates{Log2Words: 20, Tables: 2, PerWord: 4}
	c := &cobra.Command{
		Use: "updates", Short: "Update random words of tables without messages",
		Example: "  pebbles-lab limit updates --json",
	}
	c.Flags().Var(command.Count(&u.Log2Words, 1, ""), "log2-words", "binary logarithm of the words of each table")
	c.Flags().Var(command.Count(&u.Tables, 1, ""), "ranks", "tables, and goroutines")
	c.Flags().Var(command.Count(&u.PerWord, 1, ""), "updates-per-word", "updates of a word in the mean")
	c.Flags().BoolVar(&u.Huge, "huge", false, "ask the system for huge pages")
	return limitCommand(t, c, func() (limits.Report, error) { return u.Run() })
}

func newLimitPermutation(t command.Terminal) *cobra.Command {
	p := limits.Permutation{Log2Elements: 20, Shares: 2, Seed: 1}
	c := &cobra.Command{
		Use: "permutation", Short: "Permute arrays that all goroutines share, without messages",
		Example: "  pebbles-lab limit permutation --json",
	}
	c.Flags().Var(command.Count(&p.Log2Elements, 1, ""), "log2-elements",
		"binary logarithm of the elements of each share, 24 bytes each")
	c.Flags().Var(command.Count(&p.Shares, 1, ""), "ranks", "shares, and goroutines")
	c.Flags().Uint64Var(&p.Seed, "seed", p.Seed, "seed of the permutations")
	c.Flags().BoolVar(&p.Huge, "huge", false, "ask the system for huge pages")
	return limitCommand(t, c, func() (limits.Report, error) { return p.Run() })
}

func newLimitCopy(t command.Terminal) *cobra.Command {
	p := limits.Copies{Bytes: 32 << 20, Pieces: 2, Rounds: 8}
	c := &cobra.Command{Use: "copy", Short: "Copy memory", Example: "  pebbles-lab limit copy --json"}
	c.Flags().Var(command.Count(&p.Bytes, 8, ""), "bytes", "bytes of each piece")
	c.Flags().Var(command.Count(&p.Pieces, 1, ""), "ranks", "pieces, and goroutines")
	c.Flags().Var(command.Count(&p.Rounds, 1, ""), "rounds", "copies of each piece")
	return limitCommand(t, c, func() (limits.Report, error) { return p.Run() })
}

func newLimitSwitch(t command.Terminal) *cobra.Command {
	s := limits.Switches{Rounds: 1 << 18}
	c := &cobra.Command{Use: "switch", Short: "Hand over between two goroutines",
		Example: "  pebbles-lab limit switch --json"}
	c.Flags().Var(command.Count(&s.Rounds, 1, ""), "rounds", "times there and back")
	return limitCommand(t, c, func() (limits.Report, error) { return s.Run() })
}

// newLimitPair returns a command that starts itself again as the second of two processes.
func newLimitPair(t command.Terminal, name, short string, first func(limits.Pair) (limits.Report, error),
	second func(limits.Pair, string) error) *cobra.Command {
	p := limits.Pair{Messages: 1 << 14, Bytes: 1 << 16}
	answers := false
	c := &cobra.Command{Use: name, Short: short, Example: "  pebbles-lab limit " + name + " --json"}
	c.Flags().Var(command.Count(&p.Messages, 1, ""), "messages", "messages of a stream, or rounds of a ping-pong")
	c.Flags().Var(command.Count(&p.Bytes, 8, ""), "bytes", "bytes of a message")
	c.Flags().BoolVar(&p.PingPong, "ping-pong", false, "send one message there and back, instead of a stream")
	c.Flags().BoolVar(&answers, "answer", false, "be the second process")
	limitCommand(t, c, func() (limits.Report, error) {
		self, err := command.ThisProgram()
		if err != nil {
			return limits.Report{}, err
		}
		p.Second = append(append([]string{self}, t.Args...), "--answer")
		return first(p)
	})
	measure := c.RunE
	c.Args = func(c *cobra.Command, args []string) error {
		if answers {
			return cobra.MaximumNArgs(1)(c, args)
		}
		return command.NoArguments(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if !answers {
			return measure(c, args)
		}
		address := ""
		if len(args) > 0 {
			address = args[0]
		}
		return command.Failed(second(p, address))
	}
	return c
}
