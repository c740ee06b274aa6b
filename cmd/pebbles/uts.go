package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/uts"
)

func newUTS(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "uts",
		Short: "Search an unbalanced tree by tasks that ranks without work steal",
		Long: "uts is the Unbalanced Tree Search benchmark: count the nodes of a tree that nobody knows before it is searched, each of\n" +
			"which is a SHA-1 hash of its parent's. The trees are the benchmark's, with its answers: T1 to T5 have some 4 million nodes,\n" +
			"T1L to T3L some 100 million. A tree that --depth cuts shorter is searched by one rank first, for the answer.\n\n" +
			"With --in-memory the tree is built in the memory of all ranks and searched there (UTS-Mem of Grappa): by tasks that read\n" +
			"vertices through delegates, --batch of them at a time, or by pebbles. --coalesce 1 shows what buffers gain.",
		Example: "  pebbles uts\n" +
			"  pebbles uts --tree T3 --ranks 4 --json\n" +
			"  pebbles uts --in-memory --batch 1 --workers 1024\n" +
			"  pebbles uts --in-memory --mode pebbles --procs 2",
	}
	var config uts.Config
	var tree, mode word
	depth := 0
	words(c, &tree, "tree", uts.TreeNames()[0], uts.TreeNames(), "which tree")
	f := c.Flags()
	f.Var(count(&depth, 1, "the tree's own"), "depth", "where to cut a tree that is not binomial")
	f.BoolVar(&config.InMemory, "in-memory", false, "build the tree in memory, and search it there")
	words(c, &mode, "mode", string(uts.Modes[0]), names(uts.Modes), "what searches in memory")
	f.Var(count(&config.Batch, 1, "1024, or 64 in memory"), "batch", "nodes that a task searches before it hands on the rest, or vertices that it reads at once")
	f.Var(count(&config.Workers, 1, fmt.Sprint(uts.WorkersDefault)), "workers", "tasks of a rank that may wait at a time")
	f.DurationVar(&config.Linger, "linger", 0, "how long a rank without work holds buffers back (default not at all)")
	appCommand(t, c, application{
		check: func(_ *settings, given givenFlags) (err error) {
			for _, name := range []string{"mode", "workers", "linger"} {
				if given(name) && !config.InMemory {
					return fmt.Errorf("--%s is for trees in memory, whose tasks wait: add --in-memory, or leave it out", name)
				}
			}
			if mode.text == string(uts.ByPebbles) && (given("batch") || given("workers") || given("linger")) {
				return errors.New("--batch, --workers and --linger are for tasks: leave them out with --mode pebbles")
			}
			config.Mode = uts.Mode(mode.text)
			if config.Tree, err = uts.TreeByName(tree.text); err != nil {
				return err
			}
			if depth > 0 {
				if config.Tree, err = config.Tree.Cut(depth); err != nil {
					return errors.New("--depth: " + strings.TrimPrefix(err.Error(), "uts: "))
				}
			}
			return config.Check()
		},
		run: runs(&config, "nodes", uts.Run),
	})
	unused(c, "the tree says how it grows", "seed")
	return unused(c, "nothing can be merged", "cache")
}
