package export

import "github.com/activepebbles/pebbles/internal/frame"

// An Option changes the output of Create. All ranks must give the same options.
type Option interface{ apply(*options) }

type option func(*options)

func (o option) apply(to *options) { o(to) }

type options struct {
	oneFile bool
	packing *packing // nil for none
	replace bool
	asLines bool
	tables  []Format[[]Column] // for CreateTable, beside this package's
	copies  bool
	later   bool
}

func optionsOf(opts []Option) options {
	o := options{}
	for _, opt := range opts {
		opt.apply(&o)
	}
	return o
}

// OneFile makes one file of all ranks' records, in the order of ranks, instead of a folder. While the file is
// assembled, its parts need the same space again. All ranks must share the file's folder.
func OneFile() Option { return option(func(o *options) { o.oneFile = true }) }

// Zstd compresses parts by zstd, in frames of 4 MiB; ingest cuts files between frames. Names of parts end with .zst.
// Formats that compress their own blocks return an error for it.
func Zstd() Option { return option(func(o *options) { o.packing = &zstdPacking }) }

// Gzip compresses parts by gzip, as a sequence of members of 4 MiB. Names of parts end with .gz. Formats that compress
// their own blocks return an error for it.
func Gzip() Option { return option(func(o *options) { o.packing = &gzipPacking }) }

// Replace allows Create to replace a file, or a folder that has a manifest, at the end. Without Replace, an existing
// file is an error.
func Replace() Option { return option(func(o *options) { o.replace = true }) }

// AsLines makes CreateTable write the rows of its only column as lines of text, without header and quotes, whatever the
// name's extension; .gz and .zst compress them. A text with a line break is an error.
func AsLines() Option { return option(func(o *options) { o.asLines = true }) }

// Later keeps a part in memory until [Sink.Written] is called. Then a goroutine writes it.
func Later(frame.Access) Option { return option(func(o *options) { o.later = true }) }
