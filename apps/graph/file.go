package graph

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// What is wrong with a file. Errors of this package that concern a file's content wrap one of these, and name the file,
// the line, what was found there and what was wanted.
var (
	// ErrTruncated: the file ends before everything that its header or its compression promised.
	ErrTruncated = errors.New("the file is truncated or damaged, fetch it again")
	// ErrDamaged: the file contradicts itself: more edges than told, a wrong checksum, an edge known to one end only.
	ErrDamaged = errors.New("the file contradicts itself, fetch it again or correct its header")
	// ErrSyntax: the content is not of the format that the file is read as.
	ErrSyntax = errors.New("not a graph in this format, check the file or name its format")
	// ErrUnweighted: weights were asked for, and edges have none.
	ErrUnweighted = errors.New("the edges of the graph have no weights")
	// ErrRange: a number does not fit, or a vertex does not exist.
	ErrRange = errors.New("number out of range")
)

// sniffBytes is how much of a file's beginning is looked at to tell what it is.
const sniffBytes = 1 << 10

// verticesMax bounds what a header may claim, so that sums and products of counts stay far from overflow.
const verticesMax = 1 << 48

// File is a graph being read, edge by edge, from a file. It is used by one goroutine at a time.
type File struct {
	closer  io.Closer
	lex     *lexer
	format  Format
	content content
	err     error // sticky: io.EOF or the failure that ended reading
}

// content is what a format makes of a file.
type content interface {
	// next returns the next edge, io.EOF after the last one and after every check of the whole, or what is wrong.
	next() (Edge, error)
	names
	directed() bool
	weighted() bool
	edgesTold() (uint64, bool)
}

// names is the bijection between a file's ids and the dense indices.
type names interface {
	vertices() uint64
	index(id uint64) (uint64, bool)
	id(index uint64) uint64
}

// Option changes how Open and Read take a file.
type Option func(*options)

type options struct {
	format  Format
	again   bool
	weights bool
}

// Again says that the file will be opened a second time. Open then refuses pipes and devices, which give their bytes
// once.
func Again() Option { return func(o *options) { o.again = true } }

// Weights keeps the weights of edges, for WeightedEdges: the third column of an edge list or a .gr file, the values of
// a Matrix Market file, METIS's weights of edges. A file without them, and a weight that is no finite number of 0 or
// more, is an error then.
func Weights() Option { return func(o *options) { o.weights = true } }

// WithFormat names the format instead of having it detected. Auto detects.
func WithFormat(f Format) Option { return func(o *options) { o.format = f } }

// Open opens the graph file at path, tells its format and reads its header. Compression by gzip is seen by its first
// bytes, whatever the name. The error of a missing file wraps fs.ErrNotExist; one about the content wraps ErrSyntax,
// ErrTruncated, ErrDamaged or ErrRange. A pipe, such as /dev/stdin, is read as a file is. The caller closes the file.
func Open(path string, opts ...Option) (*File, error) {
	if err := canOpen(path, opts); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	f, err := Read(file, path, opts...)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	f.closer = file
	return f, nil
}

// canOpen refuses what is no file, before it is opened: that may wait, or take bytes that others want.
func canOpen(path string, opts []Option) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // opening it says what is wrong
	}
	kind := "pipe"
	switch mode := info.Mode(); {
	case mode.IsDir():
		return fmt.Errorf("open graph %s: is a directory, name a file in it", path)
	case mode.IsRegular() || !optionsOf(opts).again:
		return nil
	case mode&fs.ModeDevice != 0:
		kind = "device"
	case mode&fs.ModeSocket != 0:
		kind = "socket"
	}
	return fmt.Errorf("open graph %s: is a %s, which gives its bytes once, and they are read twice: write them to a file first", path, kind)
}

func optionsOf(opts []Option) (o options) {
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

func openError(path string, err error) error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err // the path is told already
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open graph %s: %w, check the path", path, err)
	}
	return fmt.Errorf("open graph %s: %w", path, err)
}

// Read is Open for a graph that comes from elsewhere: name stands in errors and, by its extension, helps to tell the
// format. Read does not close r.
func Read(r io.Reader, name string, opts ...Option) (*File, error) {
	o := optionsOf(opts)
	plain, err := decompress(name, r)
	if err != nil {
		return nil, err
	}
	lex := newLexer(name, plain)
	lex.weighs = o.weights
	if o.format, err = recognise(lex, o.format); err != nil {
		return nil, lex.blame(err)
	}
	c, err := openers[o.format](lex)
	if err != nil {
		return nil, lex.blame(err)
	}
	return &File{lex: lex, format: o.format, content: c}, nil
}

var openers = map[Format]func(*lexer) (content, error){
	EdgeList: openEdgeList, PACE: openPACE, MatrixMarket: openMatrixMarket, METIS: openMETIS,
}

// recognise looks at the first bytes, refuses what is no text, and settles the format.
func recognise(lex *lexer, forced Format) (Format, error) {
	if _, ok := lex.peek(); !ok {
		if err := lex.ended(); err != nil {
			return Auto, err
		}
		return Auto, fmt.Errorf("read graph %s: the file is empty: %w", lex.name, ErrSyntax)
	}
	head := lex.buf[:min(lex.end, sniffBytes)]
	if isBinary(head) {
		return Auto, lex.errorf(ErrSyntax, "the file holds binary data, not text")
	}
	if forced != Auto {
		if _, known := openers[forced]; !known {
			return Auto, fmt.Errorf("read graph %s: there is no format %v", lex.name, forced)
		}
		return forced, nil
	}
	return detect(lex.name, head)
}

// Edges writes the next edges to buf and returns how many: at least one, or an error. After the last edge, and only
// once the file was found whole (nothing cut off, counts as told, checksum right), the error is io.EOF; any error
// stays. Each undirected edge comes once, arcs come as they stand; duplicates and self-loops are kept. buf stays the
// caller's. Costs some tens of nanoseconds an edge, decompression included, and no allocation but for new ids of an
// edge list.
func (f *File) Edges(buf []Edge) (int, error) { return f.read(buf, nil) }

// read is Edges, and writes weights unless there is no room for any.
func (f *File) read(buf []Edge, weights []float64) (int, error) {
	if len(buf) == 0 {
		panic("graph: Edges needs room for an edge")
	}
	n := 0
	for n < len(buf) && f.err == nil {
		e, err := f.content.next()
		if err != nil {
			f.err = f.lex.blame(err)
			break
		}
		if buf[n] = e; weights != nil {
			weights[n] = f.lex.weight
		}
		n++
	}
	if n == 0 {
		return 0, f.err
	}
	return n, nil
}

// Format returns the format that the file is read as.
func (f *File) Format() Format { return f.format }

// Directed reports whether edges are arcs.
func (f *File) Directed() bool { return f.content.directed() }

// Weighted reports whether vertices or edges have weights or other values in the file. Without Weights they are checked
// for their form, and not used. DIMACS, Matrix Market and METIS files may have them; elsewhere they are an error, which
// says so, unless they were asked for.
func (f *File) Weighted() bool { return f.content.weighted() }

// Vertices returns how many vertices the graph has. All formats but EdgeList know it from their header. An edge list
// knows it at io.EOF, and before that returns the number of vertices met so far. A header may claim many more vertices
// (up to 2^48) than its edges name, so compare with the memory at hand before allocating by it.
func (f *File) Vertices() uint64 { return f.content.vertices() }

// EdgesTold returns the number of edges that the header tells, and whether it tells one: good for a progress bar, and
// checked against the edges themselves by io.EOF.
func (f *File) EdgesTold() (uint64, bool) { return f.content.edgesTold() }

// Index returns the dense index of the vertex that the file calls id, and whether there is one. For an edge list it
// answers for all vertices from io.EOF on, and for those met so far before.
func (f *File) Index(id uint64) (uint64, bool) { return f.content.index(id) }

// ID returns what the file calls the vertex with this index, the inverse of Index. It panics if index is not below
// Vertices.
func (f *File) ID(index uint64) uint64 {
	if index >= f.Vertices() {
		panic(fmt.Sprintf("graph: ID of vertex %d in a graph of %d vertices", index, f.Vertices()))
	}
	return f.content.id(index)
}

// Close closes the file that Open opened. Index and ID still answer afterwards.
func (f *File) Close() error {
	if f.err == nil {
		f.err = fs.ErrClosed
	}
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
