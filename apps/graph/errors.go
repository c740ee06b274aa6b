package graph

import "errors"

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
