package graph

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Format is a file format for graphs.
type Format int

const (
	// Auto lets Open decide: by an unmistakable first line, else by the file's extension, else by its first bytes.
	Auto Format = iota
	// EdgeList is SNAP's: `#` comments, then `from to` a line; ids are any 64-bit numbers. Directed.
	EdgeList
	// PACE is the .gr format: `c` comments, `p tw V E`, then `u v` a line, counted from 1. Undirected. Or DIMACS's: `p sp
	// V E`, then `a u v w` a line, which is an arc with its weight. Directed.
	PACE
	// MatrixMarket is the square coordinate format: `general` is directed, every symmetry undirected.
	MatrixMarket
	// METIS is adjacency by rows: `%` comments, `n m [fmt [ncon]]`, then one row a vertex. Undirected.
	METIS
)

var formatNames = [...]string{"auto", "edgelist", "pace", "matrixmarket", "metis"}

// String returns the name by which ParseFormat knows f.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formatNames[f]
}

// ParseFormat returns the format with this name: auto, edgelist, pace, matrixmarket or metis.
func ParseFormat(name string) (Format, error) {
	for f, n := range formatNames {
		if strings.EqualFold(name, n) {
			return Format(f), nil
		}
	}
	return Auto, fmt.Errorf("parse graph format: %q is not one of %s", name, strings.Join(formatNames[:], ", "))
}

var extensions = map[string]Format{
	".el": EdgeList, ".txt": EdgeList, ".gr": PACE, ".mtx": MatrixMarket, ".graph": METIS, ".metis": METIS,
}

// detect tells the format of a file by its first bytes and its name.
func detect(name string, head []byte) (Format, error) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(bytes.ToLower(line), []byte("%%matrixmarket")):
		return MatrixMarket, nil
	case bytes.HasPrefix(line, []byte("p tw ")), bytes.HasPrefix(line, []byte("p sp ")):
		return PACE, nil
	}
	base := strings.TrimSuffix(strings.ToLower(name), ".gz")
	if f, known := extensions[filepath.Ext(base)]; known {
		return f, nil
	}
	return sniff(name, line)
}

// sniff guesses from the first line alone. Two bare numbers could begin an edge list or a METIS file; edge lists are
// the ones that often come without a telling name.
func sniff(name string, line []byte) (Format, error) {
	fields := bytes.Fields(line)
	switch {
	case len(fields) == 0:
	case fields[0][0] == '#':
		return EdgeList, nil
	case fields[0][0] == '%':
		return METIS, nil
	case len(fields[0]) == 1 && (fields[0][0] == 'c' || fields[0][0] == 'p'):
		return PACE, nil
	case !allDigits(fields):
	case len(fields) == 2:
		return EdgeList, nil
	case len(fields) == 3 || len(fields) == 4:
		return METIS, nil
	}
	return Auto, fmt.Errorf("read graph %s: line 1: neither the name nor the first line tells a graph format (edgelist, pace, matrixmarket, metis): %w",
		name, ErrSyntax)
}

func allDigits(fields [][]byte) bool {
	for _, field := range fields {
		for _, b := range field {
			if !isDigit(b) {
				return false
			}
		}
	}
	return true
}

// isBinary tells by the control bytes in head that the file is no text.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
}

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

// foreign are compressions that are told by their first bytes but not read.
var foreign = []struct{ magic, name string }{
	{"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"PK\x03\x04", "zip"},
}

// decompress returns the content of r: r itself, or what gzip made of it. The first bytes decide, not the name.
func decompress(name string, r io.Reader) (io.Reader, error) {
	head := bufio.NewReaderSize(r, lexerBytes)
	magic, err := head.Peek(6) // fewer bytes if the file is shorter
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("read graph %s: %w", name, err)
	case len(magic) == 0:
		return nil, fmt.Errorf("read graph %s: the file is empty: %w", name, ErrSyntax)
	case strings.HasPrefix(string(magic), "\x1f\x8b"):
		return openGzip(name, head)
	}
	for _, f := range foreign {
		if strings.HasPrefix(string(magic), f.magic) {
			return nil, fmt.Errorf("read graph %s: compressed by %s; decompress it first, or use gzip: %w", name, f.name, ErrSyntax)
		}
	}
	return head, nil
}

// gzipDamage is the error of a file whose gzip data is damaged. It wraps ErrDamaged too.
type gzipDamage struct{ cause error }

func (d gzipDamage) Error() string {
	return fmt.Sprintf("the gzip data is damaged, fetch the file again: %v", d.cause)
}
func (d gzipDamage) Unwrap() []error { return []error{d.cause, ErrDamaged} }

// isGzipDamage reports whether an error is one that gzip returns for damaged data.
func isGzipDamage(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
}

// blame finds out whether err, about what stands in the file, comes of damaged gzip data: the checksum at its end
// tells. It reads what is left.
func (l *lexer) blame(err error) error {
	z, zipped := l.src.(*gzip.Reader)
	if !zipped || err == nil || err == io.EOF || isGzipDamage(err) {
		return err
	}
	if l.srcErr == nil || isFileError(l.srcErr) { // it may have more
		_, l.srcErr = io.Copy(io.Discard, z)
	}
	if l.srcErr != nil && l.srcErr != io.EOF {
		return l.sourceError(l.srcErr)
	}
	return err
}

func openGzip(name string, r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read graph %s: the gzip header is cut short: %w", name, ErrTruncated)
	}
	if err != nil {
		return nil, fmt.Errorf("read graph %s: %w", name, gzipDamage{err})
	}
	return z, nil
}

// sourceError puts what the file or its decompression failed with into words.
func (l *lexer) sourceError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return l.errorf(ErrTruncated, "the gzip data ends early")
	case isGzipDamage(err):
		return fmt.Errorf("read graph %s: line %d: %w", l.name, l.line, gzipDamage{err})
	}
	return fmt.Errorf("read graph %s: line %d: %w", l.name, l.line, err)
}

// oneBased numbers the vertices of formats that call them 1..n.
type oneBased struct{ n uint64 }

func (o oneBased) vertices() uint64 { return o.n }

func (o oneBased) index(id uint64) (uint64, bool) { return id - 1, id >= 1 && id <= o.n }

func (o oneBased) id(index uint64) uint64 { return index + 1 }

// compaction numbers arbitrary ids densely, in the order in which they are met. Once settled it also numbers isolated
// vertices, which a header counts but no edge names: they follow the ones met, and are taken to be the smallest ids
// that were not met. Where ids run 0..n-1, as in most files, those are exactly the missing ones.
type compaction struct {
	near   []uint64          // near[id] is index+1, or 0: for ids about as small as there are many of them
	far    map[uint64]uint64 // index of every other id
	ids    []uint64          // ids in the order met, the inverse of near and far
	sorted []uint64          // ids in ascending order, once settled with isolated vertices
	silent uint64            // how many isolated vertices there are
}

// nearPerID and nearMin bound the direct table by what was met, never by the size of an id: at most 4 entries an id.
const (
	nearPerID = 4
	nearMin   = 1 << 12
)

func newCompaction() *compaction { return &compaction{far: make(map[uint64]uint64)} }

// meet returns the index of id, a new one if id was not met before.
func (c *compaction) meet(id uint64) uint64 {
	if index, met := c.met(id); met {
		return index
	}
	index := uint64(len(c.ids))
	c.ids = append(c.ids, id)
	if id < nearMin+nearPerID*index {
		if missing := id + 1 - min(id+1, uint64(len(c.near))); missing > 0 {
			c.near = append(c.near, make([]uint64, missing)...)
		}
		c.near[id] = index + 1
	} else {
		c.far[id] = index
	}
	return index
}

func (c *compaction) met(id uint64) (uint64, bool) {
	if id < uint64(len(c.near)) && c.near[id] != 0 {
		return c.near[id] - 1, true
	}
	index, met := c.far[id]
	return index, met
}

// settle says that no more ids come and that there are this many vertices, at least as many as ids met.
func (c *compaction) settle(vertices uint64) {
	if c.silent = vertices - uint64(len(c.ids)); c.silent > 0 {
		c.sorted = slices.Sorted(slices.Values(c.ids))
	}
}

func (c *compaction) vertices() uint64 { return uint64(len(c.ids)) + c.silent }

func (c *compaction) index(id uint64) (uint64, bool) {
	if index, met := c.met(id); met {
		return index, true
	}
	below, _ := slices.BinarySearch(c.sorted, id)
	gap := id - uint64(below) // how many ids below this one were not met
	return uint64(len(c.ids)) + gap, gap < c.silent
}

// id inverts index. Among sorted ids, sorted[p]-p of the ids below sorted[p] were not met, and that never falls with p;
// so the gap-th id that was not met has exactly those p ids met below it for which sorted[p]-p <= gap.
func (c *compaction) id(index uint64) uint64 {
	if index < uint64(len(c.ids)) {
		return c.ids[index]
	}
	gap := index - uint64(len(c.ids))
	low, high := 0, len(c.sorted)
	for low < high {
		if p := (low + high) / 2; c.sorted[p]-uint64(p) <= gap {
			low = p + 1
		} else {
			high = p
		}
	}
	return gap + uint64(low)
}
