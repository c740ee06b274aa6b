package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/kmers"
	wordcount "github.com/activepebbles/pebbles/apps/words"
)

func newWords(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "words [FILE...]",
		Short: "Count the words of files, or of a generated text",
		Long: "words counts the words of text files, plain or compressed by gzip, BGZF or zstd, which all ranks\n" +
			"read; - is standard input, in a single process. Words are separated by ASCII white space. Without\n" +
			"files it counts a generated text whose word frequencies follow Zipf's law. Counts of frequent words\n" +
			"are added up before they travel. The words read are compared with the words counted.\n" +
			"--output writes word and count, in the order of the words' bytes.",
		Example: "  pebbles words\n" +
			"  pebbles words --bytes 1000000000 --ranks 2 --json\n" +
			"  pebbles words 'logs/*.txt.zst' more.txt --top 100 --output words.csv",
	}
	var config wordcount.Config
	f := c.Flags()
	f.Var(Count(&config.Bytes, 1, fmt.Sprint(wordcount.BytesDefault)), "bytes", "bytes of the generated text")
	f.Var(Count(&config.Vocabulary, 1, fmt.Sprint(wordcount.VocabularyDefault)), "vocabulary",
		"number of words that it draws from")
	lenient(c, &config.Input)
	outputFlags(c, &config.Output, "word,count", "counts")
	f.Lookup("top").DefValue = fmt.Sprint(wordcount.TopDefault)
	in := &stdin{from: t.Stdin}
	appCommand(t, c, byConfig(&config, "bytes", wordcount.Run, func(s *settings, given givenFlags) (err error) {
		if config.Files, err = in.spool(s, f.Args()); err != nil {
			return err
		}
		return generated(config.Files, given, "bytes", "vocabulary")
	}))
	in.removed(c)
	c.Args = cobra.ArbitraryArgs
	return unused(c, "counts are added up on their way in a cache of the counter's own", "cache")
}

func newKmers(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "kmers [FILE...]",
		Short: "Count the k-mers of DNA sequences",
		Long: "kmers counts all pieces of k bases of the sequences in FASTA or FASTQ files, plain or compressed by\n" +
			"gzip, BGZF or zstd, which all ranks read; - is standard input, in a single process. A k-mer and its\n" +
			"reverse complement are counted together. Without files it counts generated reads: pieces of 100\n" +
			"bases from random places of a genome. The k-mers read are compared with the k-mers counted. --output\n" +
			"writes kmer and count, in the order of the letters.\n\n" +
			"With --filter, k-mers that occur once, as most with a sequencing error do, take no memory: a first\n" +
			"pass finds those that recur. The more memory the filter has, the fewer of them slip through. The\n" +
			"output lacks them; the histogram counts them.",
		Example: "  pebbles kmers\n" +
			"  pebbles kmers --bases 50000000 --coverage 20 --ranks 2 --json\n" +
			"  pebbles kmers 'reads/*.fastq.gz' --k 21 --output kmers.tsv --histogram histogram.csv",
	}
	var config kmers.Config
	f := c.Flags()
	f.Var(Count(&config.K, 1, fmt.Sprint(kmers.KDefault)), "k", "bases of a k-mer, at most 32")
	f.Var(Count(&config.Bases, 1, fmt.Sprint(kmers.BasesDefault)), "bases", "bases of the generated genome")
	f.Var(Count(&config.Coverage, 1, fmt.Sprint(kmers.CoverageDefault)), "coverage",
		"mean number of generated reads that have a base")
	f.Float64Var(&config.Errors, "errors", 0, "fraction of wrong bases in generated reads, 0 to 1")
	f.Var((*size)(&config.Filter), "filter",
		"memory of each rank for a filter that leaves out k-mers met once (default none: all are counted)")
	lenient(c, &config.Input)
	outputFlags(c, &config.Output, "kmer,count", "counts")
	f.StringVar(&config.Histogram, "histogram", "", "write multiplicity,kmers to this `FILE`, as --output does")
	checkOutput := c.PreRunE
	c.PreRunE = func(c *cobra.Command, files []string) error {
		if config.Histogram != "" && !c.Flags().Changed("output") {
			return nil // --replace is for the histogram
		}
		return checkOutput(c, files)
	}
	in := &stdin{from: t.Stdin}
	appCommand(t, c, byConfig(&config, "bases", kmers.Run, func(s *settings, given givenFlags) (err error) {
		if given("histogram") && config.Histogram == "" {
			return errors.New("--histogram is empty: name a file")
		}
		if config.Files, err = in.spool(s, f.Args()); err != nil {
			return err
		}
		return generated(config.Files, given, "bases", "coverage", "errors")
	}))
	in.removed(c)
	c.Args = cobra.ArbitraryArgs
	return unused(c, "equal k-mers are far apart: none would be merged", "cache")
}

// generated rejects flags for generated input if files are given.
func generated(files []string, given givenFlags, flags ...string) error {
	for _, name := range flags {
		if len(files) > 0 && given(name) {
			return errors.New("--" + name + " is for generated input: leave it out with files")
		}
	}
	return nil
}
