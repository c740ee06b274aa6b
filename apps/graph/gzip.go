package graph

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

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
			return nil, fmt.Errorf("read graph %s: compressed by %s; decompress it first, or use gzip: %w",
				name, f.name, ErrSyntax)
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
