package main

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completes sets a flag's completions.
func completes(c *cobra.Command, flag string, how cobra.ShellCompDirective, words ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, how)); err != nil {
		panic("pebbles: " + err.Error())
	}
}

// axesOf completes --sweep to the names of what may vary, each followed by the sign that precedes its values.
const axesOf = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp

func axesNamed(names []string) (all []string) {
	for _, name := range names {
		all = append(all, name+"=")
	}
	return all
}

// axesAmong are the flags of a command that a sweep of simulations may vary.
func axesAmong(c *cobra.Command) (names []string) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if mayVary(f.Name) && f.Value.Type() != "bool" && !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// complete completes an application's name, and what follows it as the application's own command does.
func (u *tuning) complete(args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return tunables(), cobra.ShellCompDirectiveNoFileComp
	}
	var out bytes.Buffer
	line := append(append([]string{cobra.ShellCompRequestCmd}, args...), begun)
	if _, err := newCommand(terminal{args: line, stdout: &out, stderr: io.Discard}).ExecuteC(); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	words := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := len(words) - 1 // is the directive, as ":4"
	directive, err := strconv.Atoi(strings.TrimPrefix(words[last], ":"))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return words[:last], cobra.ShellCompDirective(directive)
}
