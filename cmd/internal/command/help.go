package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpColumns is the width of help. In package pflag, the last word of a flag's text may begin up to 5 columns beyond
// its limit.
const (
	helpColumns = 100
	flagColumns = helpColumns - 5
)

// helpAll is the flag that adds the shared flags to the help of an application.
const helpAll = "help-all"

// section is a section of help: a title, and names of commands or flags.
type section struct{ title, names string }

func (s section) has(name string) bool { return slices.Contains(strings.Fields(s.names), name) }

// flagSections are the flags that all applications share, in the order of --help-all.
var flagSections = []section{
	{"Job", "ranks procs hosts hostfile bind ssh restart alone profile seed"},
	{"Network", "transport tls connect provider insecure topology termination coalesce cache credits due period"},
	{"Limits", "memory page-cache address-cache pinned start-limit silence-limit"},
	{"Checkpoints", "checkpoint checkpoint-every checkpoint-copy checkpoint-zstd time-limit"},
	{"Watching", "http http-pprof record trace stall stall-exit"},
	{"Output", "json explain verbose quiet log-format"},
}

// graphSection has the rarely used flags that applications on graphs also share.
var graphSection = section{"Graphs", "format erdos-renyi edge-factor order"}

// sectionsOf returns the sections of a command's shared flags, or none for a command that is no application.
func sectionsOf(c *cobra.Command) []section {
	switch {
	case c.Flags().Lookup(helpAll) == nil:
		return nil
	case c.Flags().Lookup("kronecker") == nil:
		return flagSections
	}
	return slices.Concat([]section{graphSection}, flagSections)
}

// commandSections are the commands of pebbles and pebbles-lab. Commands in no section come last.
var commandSections = []section{
	{"Run and watch", "run k8s sim tune ps top report trace doctor"},
	{"Measure and predict", "bench limit fit model start"},
	{"Graphs", "bfs sssp centrality pagerank components communities triangles jaccard kcore"},
	{"Data", "sort join group words kmers"},
	{"Simulations", "contagion nbody"},
	{"Benchmarks", "randomaccess permutation pointerchase alltoall reduce epochs ping uts stressmark access pages"},
}

// asksForAll is the value of --help-all: cobra shows help after it.
type asksForAll struct{ asked bool }

func (a *asksForAll) String() string { return "" }
func (a *asksForAll) Type() string   { return "bool" }

func (a *asksForAll) Set(string) error {
	a.asked = true
	return pflag.ErrHelp
}

// addHelpAll adds --help-all to the command of an application.
func addHelpAll(c *cobra.Command) {
	c.Flags().Var(&asksForAll{}, helpAll, "help with the flags that all applications share")
	c.Flags().Lookup(helpAll).NoOptDefVal = "true"
}

// among reports whether one of the sections has a name.
func among(sections []section, name string) bool {
	return slices.ContainsFunc(sections, func(s section) bool { return s.has(name) })
}

// abridged reports whether a command is an application and --help-all is not given.
func abridged(c *cobra.Command) bool {
	all := c.Flags().Lookup(helpAll)
	return all != nil && !all.Value.(*asksForAll).asked
}

// help prints the description of a command, and its usage. Abridged help has one paragraph and three examples.
func help(c *cobra.Command, _ []string) {
	text := c.Long
	if text == "" {
		text = c.Short
	}
	if abridged(c) {
		text, _, _ = strings.Cut(text, "\n\n")
	}
	fmt.Fprintf(c.OutOrStdout(), "%s\n\n", text)
	printUsage(c.OutOrStdout(), c)
}

// printUsage prints the usage of a command, its examples, commands and flags. The output keeps a failure to write.
func printUsage(w io.Writer, c *cobra.Command) {
	fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s [command]\n", c.CommandPath())
	}
	if c.HasExample() {
		examples := strings.Split(c.Example, "\n")
		if abridged(c) {
			examples = examples[:min(3, len(examples))]
		}
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.Join(examples, "\n"))
	}
	printCommands(w, c)
	printFlags(w, c)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nUse \"%s [command] --help\" for more about a command.\n", c.CommandPath())
	}
}

// printCommands lists the subcommands of a command, those of the program in sections.
func printCommands(w io.Writer, c *cobra.Command) {
	list := func(title string, wanted func(name string) bool) {
		for _, sub := range c.Commands() {
			if wanted(sub.Name()) && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(w, "%s  %-*s %s\n", title, sub.NamePadding(), sub.Name(), sub.Short)
				title = ""
			}
		}
	}
	if c.HasParent() {
		list("\nCommands:\n", func(string) bool { return true })
		return
	}
	for _, s := range commandSections {
		list("\n"+s.title+":\n", s.has)
	}
	list("\nOther:\n", func(name string) bool { return !among(commandSections, name) })
}

// printFlags lists the flags of a command: for an application its own, and with --help-all those of the sections.
func printFlags(w io.Writer, c *cobra.Command) {
	sections := sectionsOf(c)
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if sections == nil || !among(sections, f.Name) && f.Name != "help" && f.Name != helpAll {
			own.AddFlag(f)
		}
	})
	if usages := own.FlagUsagesWrapped(flagColumns); usages != "" {
		fmt.Fprintf(w, "\nFlags:\n%s", usages)
	}
	var titles []string
	for _, s := range sections {
		if titles = append(titles, strings.ToLower(s.title)); !abridged(c) {
			fmt.Fprintf(w, "\n%s:\n%s", s.title, s.flags(c).FlagUsagesWrapped(flagColumns))
		}
	}
	if abridged(c) {
		fmt.Fprintf(w, "\n--%s lists all flags: %s.\n", helpAll, strings.Join(titles, ", "))
	}
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(w, "\nFlags of %s:\n%s", c.Parent().CommandPath(), c.InheritedFlags().FlagUsagesWrapped(flagColumns))
	}
}

// flags returns the flags of a command that are in the section.
func (s section) flags(c *cobra.Command) *pflag.FlagSet {
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	some.SortFlags = false
	for _, name := range strings.Fields(s.names) {
		if f := c.Flags().Lookup(name); f != nil {
			some.AddFlag(f)
		}
	}
	return some
}
