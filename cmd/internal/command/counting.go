package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/kmers"
	wordcount "github.com/activepebbles/pebbles/apps/words"
)

func newWords(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "words",
		Short: "Count the words of files, or of a text that is made up",
		Long: "words counts the words of text files, plain or compressed by gzip, BGZF or zstd, which all ranks\n" +
			"read. Words are separated by white space. Without files it counts a generated text whose word\n" +
			"frequencies follow Zipf's law. Counts of frequent words are added up before they travel. The words\n" +
			"read are compared with the words counted.",
		Example: "  pebbles words\n" +
			"  pebbles words --bytes 1000000000 --ranks 2 --json\n" +
			"  pebbles words --file 'logs/*.txt.zst' --file more.txt --top 100",
	}
	var config wordcount.Config
	f := c.Flags()
	f.StringArrayVar(&config.Files, "file", nil, "files, by name or pattern; may be given again")
	lenient(c, &config.Input)
	f.Var(Count(&config.Bytes, 1, fmt.Sprint(wordcount.BytesDefault)), "bytes", "bytes of the text that is made up")
	f.Var(Count(&config.Vocabulary, 1, fmt.Sprint(wordcount.VocabularyDefault)), "vocabulary",
		"words that it has to choose from")
	f.Var(Count(&config.Top, 1, fmt.Sprint(wordcount.TopDefault)), "top", "how many of the most frequent words to tell")
	appCommand(t, c, byConfig(&config, "bytes", wordcount.Run, nil))
	return unused(c, "counts are added up on their way in a cache of the counter's own", "cache")
}

func newKmers(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "kmers",
		Short: "Count the k-mers of DNA sequences",
		Long: "kmers counts all pieces of k bases of the sequences in FASTA or FASTQ files, plain or compressed by\n" +
			"gzip, BGZF or zstd, which all ranks read. A piece and its reverse complement are counted together.\n" +
			"Without files it counts generated reads: pieces of 100 bases from random places of a genome. The\n" +
			"words read are compared with the words counted.\n\n" +
			"With --filter, k-mers that occur once, as most with a sequencing error do, take no memory: a first\n" +
			"pass finds those that recur. The more memory the filter has, the fewer of them slip through.",
		Example: "  pebbles kmers\n" +
			"  pebbles kmers --bases 50000000 --coverage 20 --ranks 2 --json\n" +
			"  pebbles kmers --file 'reads/*.fastq.gz' --k 21",
	}
	var config kmers.Config
	f := c.Flags()
	f.StringArrayVar(&config.Files, "file", nil,
		"FASTA files, or FASTQ where names end so, by name or pattern; may be given again")
	lenient(c, &config.Input)
	f.Var(Count(&config.K, 1, fmt.Sprint(kmers.KDefault)), "k", "bases of a k-mer, at most 32")
	f.Var(Count(&config.Bases, 1, fmt.Sprint(kmers.BasesDefault)), "bases", "bases of the genome that is made up")
	f.Var(Count(&config.Coverage, 1, fmt.Sprint(kmers.CoverageDefault)), "coverage", "how often reads cover it")
	f.Float64Var(&config.Errors, "errors", 0, "share of bases that are read wrong, 0 to 1")
	f.Var((*size)(&config.Filter), "filter",
		"memory of each rank for a filter that leaves out k-mers met once (default none: all are counted)")
	appCommand(t, c, byConfig(&config, "bases", kmers.Run, nil))
	return unused(c, "equal k-mers are far apart: none would be merged", "cache")
}
