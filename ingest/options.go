package ingest

// rowLimitDefault is the default of RowLimit.
const rowLimitDefault = 64 << 20

// An Option changes how Open reads files. All ranks must give the same options.
type Option interface{ apply(*options) }

type option func(*options)

func (o option) apply(to *options) { o(to) }

type options struct {
	rowLimit  int
	skip      int64
	perHost   bool
	unchecked bool   // omit checksums
	weights   bool   // of a graph
	names     *Names // of vertices; nil if vertices are numbers
	alone     func(vertex uint64)
	host      string // name of this rank's host; "" for that of dataset.Host
	window    int    // number of bytes to read at a time
	deal      func(files []file, ranks int) [][]piece
}

func defaults() options {
	return options{rowLimit: rowLimitDefault, window: windowBytes, deal: deal}
}

// RowLimit sets the maximum length of a record in bytes, by default 64 MiB: of a row with its line breaks, a FASTA
// sequence, an uncompressed block of Avro. A rank's buffer grows up to that length. A longer record cannot be read.
func RowLimit(bytes int) Option { return option(func(o *options) { o.rowLimit = bytes }) }

// Skip leaves out and counts records that cannot be read, up to most on all ranks together. In Avro and Parquet files
// it leaves out the rest of a block or row group behind such a record, and counts that as one. Without Skip, the first
// such record is the error of its Source. A header that cannot be read is always an error. Report adds the counts of
// all ranks; until then a rank compares its own count with most.
func Skip(most int64) Option { return option(func(o *options) { o.skip = most }) }

// PerHost means that each host has its own files, which the ranks of that host read. A host without files gives no
// pattern. Without PerHost all hosts have the same files, and Open compares their names and sizes. Ranks whose hosts
// have the same name are on one host.
func PerHost() Option { return option(func(o *options) { o.perHost = true }) }

// Unchecked omits the comparison of a folder's parts with their checksums, for which Open reads the parts once more.
// Open still compares names and sizes.
func Unchecked() Option { return option(func(o *options) { o.unchecked = true }) }

// Weights keeps the weights of a graph: the third column of an edge list or a .gr file, the values of a Matrix Market
// file, METIS's weights of edges, the column of weights of a table. An edge without a weight is [ErrUnweighted]. A
// weight that is not a finite number of 0 or more is an error.
func Weights() Option { return option(func(o *options) { o.weights = true }) }
