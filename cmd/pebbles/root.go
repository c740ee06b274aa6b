package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newCommand makes the root command with all others.
func newCommand(t terminal) *cobra.Command {
	t.stdout = &checked{to: t.stdout}
	root := &cobra.Command{
		Use:   "pebbles",
		Short: "Active Pebbles: programs made of many small messages, on one machine or many",
		Long: "pebbles runs the applications of Active Pebbles for Go, and starts programs built on the library as jobs of\n" +
			"several processes.",
		Example:       "  pebbles randomaccess\n  pebbles bfs --kronecker 16 --roots 4\n  pebbles run -n 4 -- ./program",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(t.args)
	root.SetOut(t.stdout)
	root.SetErr(t.stderr)
	root.Flags().Bool("version", false, "print the version") // without cobra's -v, which is --verbose elsewhere
	root.SetVersionTemplate("pebbles {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if first := firstWord(t.args); c == root && first != "" {
			return noCommand(c, []string{first})
		}
		return inWords(err)
	})
	root.AddCommand(newRandomAccess(t), newPermutation(t), newPointerChase(t), newBFS(t), newSSSP(t), newCentrality(t),
		newAllToAll(t), newReduce(t), newEpochs(t), newUTS(t), newPing(t), newStressmark(t), newAccess(t), newPages(t), newContagion(t),
		newNBody(t),
		newRun(t), newK8s(t), newSim(t), newModel(t), newFit(t), newTune(t), newBench(t), newLimit(t), newDoctor(t), newVersion())
	completeCompletion(root)
	return root
}

// completeCompletion makes the ready-made completion command refuse shells that it does not know.
func completeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic("pebbles: " + err.Error())
	}
	completion.Example = "  source <(pebbles completion bash)"
	completion.Args = noCommand
	completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// firstWord is the first argument that is no flag.
func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// noCommand rejects words that name no command.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("unknown command %q: use one of %s", args[0], strings.Join(names, ", "))
}

// noArguments rejects arguments of a command that has only flags.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected argument %q: %s takes only flags", args[0], c.Name())
}
