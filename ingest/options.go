package ingest

// rowLimitDefault is the default of RowLimit.
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
	names     *Names // of vertices; nil if vertices are numbers
	alone     func(vertex uint64)
	host      string // this rank's; "" for that of dataset.Host
	window    int    // bytes that are read at a time
	deal      func(files []file, ranks int) [][]piece
}

func defaults() options {
	return options{rowLimit: rowLimitDefault, window: windowBytes, deal: deal}
}

// RowLimit is the maximum length of a record in bytes, by default 64 MiB: a row with its line breaks, a sequence of
// FASTA, an uncompressed block of Avro. A rank's buffer grows up to that. A longer record cannot be read.
func RowLimit(bytes int) Option { return option(func(o *options) { o.rowLimit = bytes }) }

// Skip leaves out records that cannot be read, and counts them, up to most on all ranks together. In Avro and Parquet
// files it leaves out the rest of a block or row group behind such a record, and counts that as one. Without Skip, the
// first such record is the error of its Source. A header that cannot be read is always an error. A rank learns the
// counts of others in Report; until then it compares its own count with most.
func Skip(most int64) Option { return option(func(o *options) { o.skip = most }) }

// PerHost means that each host has its own files, which the ranks of that host read: a host without a file gives no
// pattern. Without PerHost all hosts have the same files, and Open compares their names and sizes. Ranks whose hosts
// have the same name are on one host.
func PerHost() Option { return option(func(o *options) { o.perHost = true }) }

// Unchecked omits the comparison of a folder's parts with their checksums, for which Open reads the parts once more.
// Open still compares names and sizes.
func Unchecked() Option { return option(func(o *options) { o.unchecked = true }) }

// Weights keeps the weights of a graph: the third column of an edge list or a .gr file, the values of a Matrix Market
// file, METIS's weights of edges, the column of weights of a table. An edge without a weight is [ErrUnweighted]; a
// weight that is not a finite number of 0 or more is an error.
func Weights() Option { return option(func(o *options) { o.weights = true }) }
