package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/alltoall"
	"github.com/activepebbles/pebbles/apps/epochs"
	"github.com/activepebbles/pebbles/apps/permutation"
	"github.com/activepebbles/pebbles/apps/ping"
	"github.com/activepebbles/pebbles/apps/pointerchase"
	"github.com/activepebbles/pebbles/apps/randomaccess"
	"github.com/activepebbles/pebbles/apps/reduction"
	"github.com/activepebbles/pebbles/apps/uts"
)

func newRandomAccess(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "randomaccess",
		Short: "HPCC RandomAccess: update random words of a distributed table",
		Long: "randomaccess is the RandomAccess benchmark of the HPC Challenge: updates of random words of a\n" +
			"table that is spread over all ranks, verified by running them again. By default at most 1,024\n" +
			"updates wait in a rank, as the benchmark demands; a larger --coalesce may exceed that, and the\n" +
			"result shows it.",
		Example: "  pebbles randomaccess\n" +
			"  pebbles randomaccess --ranks 2 --log2-words 22 --json\n" +
			"  pebbles randomaccess --procs 4 --topology hypercube --coalesce 4096",
	}
	config := randomaccess.Config{Log2Words: 20, UpdatesPerWord: 4}
	c.Flags().Var(Count(&config.Log2Words, 1, ""), "log2-words",
		"log2 of the 8-byte words per rank")
	c.Flags().Float64Var(&config.UpdatesPerWord, "updates-per-word", config.UpdatesPerWord,
		"mean number of updates per word")
	c.Flags().IntVar(&config.Epoch, "epoch", 0, "updates per rank and epoch; 0 for all")
	c.Flags().BoolVar(&config.OneByOne, "one-by-one", false, "send updates one by one instead of in batches")
	appCommand(t, c, byConfig(&config, "updates", randomaccess.Run, func(s *settings, given givenFlags) error {
		if config.UpdatesPerWord == 0 {
			return errors.New("--updates-per-word 0 leaves nothing to do: give a positive number")
		}
		if config.Tuned = s.autos().Coalesce; !config.Tuned && given("coalesce") {
			config.Coalesce = s.number("coalesce")
		}
		return nil
	}))
	return unused(c, "the benchmark says which numbers are random", "seed")
}

func newPermutation(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "permutation",
		Short: "Permute distributed data by a distributed permutation",
		Long: "permutation is the second benchmark of the Active Pebbles paper: each element travels to the rank\n" +
			"that has its position, and from there to that position. Every element of the result is verified.",
		Example: "  pebbles permutation\n" +
			"  pebbles permutation --ranks 4 --log2-elements 18 --seed 7 --json\n" +
			"  pebbles permutation --procs 2 --coalesce 512",
	}
	config := permutation.Config{Log2Elements: 20}
	c.Flags().Var(Count(&config.Log2Elements, 1, ""), "log2-elements",
		"log2 of the 24-byte elements per rank")
	return appCommand(t, c, byConfig(&config, "elements", permutation.Run, nil))
}

func newPointerChase(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "pointerchase",
		Short: "Latency: send one message around a random ring of all ranks",
		Long: "pointerchase is the latency benchmark of the Active Pebbles paper: one message goes around a random\n" +
			"ring of all ranks, each step of it sent by the handler of the one before. Every visit is verified.",
		Example: "  pebbles pointerchase\n" +
			"  pebbles pointerchase --ranks 8 --rounds 10000 --json\n" +
			"  pebbles pointerchase --procs 2 --topology hypercube",
	}
	config := pointerchase.Config{Rounds: 1000}
	c.Flags().Var(Count(&config.Rounds, 1, ""), "rounds", "times that the message goes around the ring")
	appCommand(t, c, byConfig(&config, "rounds", pointerchase.Run, nil))
	return unused(c, "there is one message, and it never waits", "coalesce", "cache")
}

func newAllToAll(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "alltoall",
		Short: "Fine-grained all-to-all: small items between all pairs of ranks",
		Long: "alltoall is the fine-grained all-to-all benchmark of the TRAM paper: every rank sends an item of a\n" +
			"few bytes to every other rank, round after round without waiting. Every byte of every item is\n" +
			"verified, and that each came once. Items of 4, 8, 16, 32, 64, 128 and 512 bytes travel as they lie\n" +
			"in memory, others of 9 bytes or more by a codec.",
		Example: "  pebbles alltoall\n" +
			"  pebbles alltoall --ranks 16 --topology hypercube --bytes 64 --json\n" +
			"  pebbles alltoall --procs 2 --bytes 1000 --rounds 5000",
	}
	config := alltoall.Config{Bytes: 32}
	c.Flags().Var(Count(&config.Bytes, 1, ""), "bytes", "item size in bytes: 4, or 8 to 65536")
	c.Flags().Var(Count(&config.Rounds, 1, "a million items per rank, or 64 MiB"), "rounds",
		"items from each rank to each other")
	appCommand(t, c, byConfig(&config, "items", alltoall.Run, nil))
	return unused(c, "no two items are equal", "cache")
}

func newReduce(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "reduce",
		Short: "Reduce items of all ranks by key, merged in caches on their way",
		Long: "reduce is an all-to-one reduction: the reduction cache merges items for one key, or for a few, on\n" +
			"their way, which is on here unless --cache 0 is given. The total of every key is verified.",
		Example: "  pebbles reduce\n" +
			"  pebbles reduce --ranks 8 --topology hypercube --items 100000 --kind max --json\n" +
			"  pebbles reduce --procs 2 --keys 5000 --cache 0",
	}
	config := reduction.Config{Items: 1 << 20, Keys: 1}
	var kind Word
	c.Flags().Var(Count(&config.Items, 1, ""), "items", "items per rank")
	c.Flags().Var(Count(&config.Keys, 1, ""), "keys", "number of keys; with one, all items go to rank 0")
	Words(c, &kind, "kind", "sum", reduction.Kinds(), "reduction operator")
	appCommand(t, c, byConfig(&config, "items", reduction.Run, func(s *settings, given givenFlags) error {
		config.Kind = kind.Text
		if given("cache") && s.text("cache") == "0" {
			config.Cache = reduction.NoCache
		}
		if config.Tuned = s.autos().Cache; config.Tuned {
			s.firstCache = reduction.CacheDefault
		}
		return nil
	}))
	c.Flags().Lookup("cache").DefValue = strconv.Itoa(reduction.CacheDefault)
	return c
}

func newEpochs(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "epochs",
		Short: "Latency of an epoch with few or no pebbles",
		Long: "epochs measures the cost of ending an epoch: many epochs, one after the other, in which each rank\n" +
			"sends no pebble, or a few to the rank after it. After each epoch every rank checks that all have\n" +
			"arrived.",
		Example: "  pebbles epochs\n" +
			"  pebbles epochs --ranks 8 --termination skr --json\n" +
			"  pebbles epochs --procs 2 --pebbles 1",
	}
	config := epochs.Config{Count: 1000}
	c.Flags().Var(Count(&config.Count, 1, ""), "count", "number of epochs")
	c.Flags().Var(Count(&config.Pebbles, 0, "0"), "pebbles", "pebbles per rank and epoch")
	appCommand(t, c, byConfig(&config, "epochs", epochs.Run, nil))
	return unused(c, "nothing is random", "seed")
}

func newPing(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "ping",
		Short: "Message rate: streams from half of the ranks to the other half",
		Long: "ping is the ping test of the Grappa paper: each rank of the first half of the job sends messages\n" +
			"to one rank of the second half, as fast as it can. --coalesce 1 sends messages one by one, which\n" +
			"shows the gain by buffers. All bytes are verified.",
		Example: "  pebbles ping --ranks 2\n" +
			"  pebbles ping --procs 2 --bytes 8 --coalesce 1 --json\n" +
			"  pebbles ping --procs 2 --ranks 4 --transport tcp --bytes 4096",
	}
	var config ping.Config
	c.Flags().Var(Count(&config.Bytes, 1, "32"), "bytes", "message size in bytes, a power of two from 8 to 4096")
	c.Flags().Var(Count(&config.Messages, 1, "64 MiB of them, at most 1048576"), "messages",
		"messages per sender")
	appCommand(t, c, byConfig(&config, "messages", ping.Run, nil))
	return unused(c, "nothing can be merged", "cache")
}

func newUTS(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "uts",
		Short: "Unbalanced Tree Search with work stealing",
		Long: "uts is the Unbalanced Tree Search benchmark: count the nodes of a tree that is generated during the\n" +
			"search: each node is a SHA-1 hash of its parent's. The trees are the benchmark's, with its answers:\n" +
			"T1 to T5 have some 4 million nodes, T1L to T3L some 100 million. A tree that --depth cuts shorter is\n" +
			"searched by one rank first, for the answer.\n\n" +
			"With --in-memory the tree is built in the memory of all ranks and searched there (UTS-Mem of\n" +
			"Grappa): by tasks that read vertices through delegates, --batch of them at a time, or by pebbles.\n" +
			"--coalesce 1 shows the gain by buffers.",
		Example: "  pebbles uts\n" +
			"  pebbles uts --tree T3 --ranks 4 --json\n" +
			"  pebbles uts --in-memory --batch 1 --workers 1024\n" +
			"  pebbles uts --in-memory --mode pebbles --procs 2",
	}
	var config uts.Config
	var tree, mode Word
	depth := 0
	Words(c, &tree, "tree", uts.TreeNames()[0], uts.TreeNames(), "tree of the benchmark")
	f := c.Flags()
	f.Var(Count(&depth, 1, "the tree's own"), "depth", "maximum depth of a geometric tree")
	f.BoolVar(&config.InMemory, "in-memory", false, "build the tree in memory and search it there")
	Words(c, &mode, "mode", string(uts.Modes[0]), names(uts.Modes), "search in memory by")
	f.Var(Count(&config.Batch, 1, "1024, or 64 in memory"), "batch",
		"nodes per task before the rest becomes a new task, or vertices per read")
	f.Var(Count(&config.Workers, 1, fmt.Sprint(uts.WorkersDefault)), "workers", "maximum number of waiting tasks per rank")
	f.DurationVar(&config.Linger, "linger", 0, "`time` that an idle rank holds buffers back (default 0)")
	appCommand(t, c, byConfig(&config, "nodes", uts.Run, func(_ *settings, given givenFlags) (err error) {
		for _, name := range []string{"mode", "workers", "linger"} {
			if given(name) && !config.InMemory {
				return fmt.Errorf("--%s is for trees in memory, whose tasks wait: add --in-memory, or leave it out", name)
			}
		}
		if mode.Text == string(uts.ByPebbles) && (given("batch") || given("workers") || given("linger")) {
			return errors.New("--batch, --workers and --linger are for tasks: leave them out with --mode pebbles")
		}
		config.Mode = uts.Mode(mode.Text)
		if config.Tree, err = uts.TreeByName(tree.Text); err == nil && depth > 0 {
			if config.Tree, err = config.Tree.Cut(depth); err != nil {
				return errors.New("--depth: " + strings.TrimPrefix(err.Error(), "uts: "))
			}
		}
		return err
	}))
	unused(c, "the tree says how it grows", "seed")
	return unused(c, "nothing can be merged", "cache")
}
