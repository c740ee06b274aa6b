package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// short is a stream that returns at most each bytes at a time, so that reads end anywhere.
type short struct {
	*bytes.Reader
	each int
}

func (s short) Read(b []byte) (int, error) { return s.Reader.Read(b[:min(len(b), s.each)]) }

// Records do not depend on the borders of reads or the size of the window.
func TestRecordsAcrossReads(t *testing.T) {
	for name, c := range map[string]struct {
		format  sequences
		content string
		want    []string
	}{
		"fasta": {sequences{begun: (*part).begunFASTA, next: (*part).fasta},
			"\n>a\r\nACGT\nA>C\n\n>b\n>\nG\n>c\nTT",
			[]string{`"a" "ACGTA>C" ""`, `"b" "" ""`, `"" "G" ""`, `"c" "TT" ""`}},
		"fastq": {sequences{begun: (*part).begunFASTQ, next: (*part).fastq},
			"@a\nAC\n+\n@@\n\n@b\r\nG\r\n+b\r\n+\r\n@c\n\n+\n\n",
			[]string{`"a" "AC" "@@"`, `"b" "G" "+"`, `"c" "" ""`}},
	} {
		for window := 2; window <= len(c.content)+2; window++ {
			for each := 1; each <= len(c.content); each++ {
				in := &input{options: options{rowLimit: 1 << 10}, files: []file{{Name: name, Size: int64(len(c.content))}}}
				s := &stream{reader: short{bytes.NewReader([]byte(c.content)), each}, edge: int64(len(c.content))}
				p := &part{window: newWindow(s, in.rowLimit, make([]byte, window)), input: in,
					piece: piece{0, 0, int64(len(c.content))}}
				var got []string
				err := c.format.each(p, func(v Sequence) bool {
					got = append(got, sequence(v))
					return true
				})
				if err != nil {
					require.ErrorContains(t, err, "EOF")
				}
				require.Equal(t, c.want, got, "%s, a window of %d bytes, %d bytes a read", name, window, each)
			}
		}
	}
}

// The same holds for files, with the border of a window within, before and behind the end of the first record.
func TestRecordsAcrossWindows(t *testing.T) {
	for first := windowBytes - 3; first <= windowBytes+3; first++ {
		text := ">a\n"
		text += strings.Repeat("A", first-len(text)-1) + "\n>b\nCC\n"
		path := write(t, "data", []byte(text))
		o, err := ingest(1, FASTA(), func(s Sequence) string { return fmt.Sprintf("%s %d", s.Name, len(s.Bases)) },
			[]string{path})
		require.NoError(t, err)
		require.Equal(t, []string{fmt.Sprint("a ", first-4), "b 2"}, o.all(), "a first record of %d bytes", first)
	}
}
