package ingest

import "github.com/activepebbles/pebbles/internal/dataset"

// rowLimitDefault is the longest record that is read when Open is not told.
const rowLimitDefault = 64 << 20

// An Option changes how Open reads files. All ranks give the same.
type Option interface{ apply(*options) }

type option func(*options)

func (o option) apply(to *options) { o(to) }

type options struct {
	rowLimit  int
	skip      int64
	perHost   bool
	unchecked bool   // leave checksums out
	weights   bool   // of a graph
	host      string // this rank's
	window    int    // bytes that are read at a time
	deal      func(files []file, ranks int) [][]piece
}

func defaults() options {
	return options{rowLimit: rowLimitDefault, host: dataset.Host(), window: windowBytes, deal: deal}
}

// RowLimit is the most bytes that one record may have, by default 64 MiB: a row with its line breaks, a sequence of
// FASTA, an uncompressed block of Avro. A rank's buffer grows up to that. A longer record is one that cannot be read.
func RowLimit(bytes int) Option { return option(func(o *options) { o.rowLimit = bytes }) }

// Skip leaves out records that cannot be read, and counts them, up to most on all ranks together. Of Avro and Parquet
// files it leaves out blocks and row groups, from the first record on that cannot be read, and counts each as one.
// Without it the first one is the error of its Source. A header that cannot be read is always an error. A rank knows of
// the others' only in Report; until then it goes by its own count.
func Skip(most int64) Option { return option(func(o *options) { o.skip = most }) }

// PerHost says that each host has files of its own, which the ranks of that host read. Without it all hosts have the
// same files, and Open compares their names and sizes. Ranks whose hosts have the same name are on one host.
func PerHost() Option { return option(func(o *options) { o.perHost = true }) }

// Unchecked leaves out the checksums of a folder's parts, for which Open reads them once more; sizes and names are
// compared all the same.
func Unchecked() Option { return option(func(o *options) { o.unchecked = true }) }

// Weights keeps the weights of a graph: the third column of an edge list or a .gr file, the values of a Matrix Market
// file, METIS's weights of edges, the column of weights of a table. An edge without a weight is [ErrUnweighted]; a
// weight that is not a finite number of 0 or more is an error.
func Weights() Option { return option(func(o *options) { o.weights = true }) }
