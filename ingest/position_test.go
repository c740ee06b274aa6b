package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/target/avro"
)

// placed formats a record behind its position.
func placed[T any](keep func(T) string) func(v Positioned[T]) string {
	return func(v Positioned[T]) string {
		return fmt.Sprint(v.File[strings.LastIndexByte(v.File, '/')+1:], " ", v.Line, " ", v.Offset, " ", keep(v.Record))
	}
}

// linesPlaced returns the lines of a text with a given beginning, with their positions.
func linesPlaced(content []byte, begin string, keep func(line string) string) (all []string) {
	at := 0
	for i, line := range strings.SplitAfter(string(content), "\n") {
		if strings.HasPrefix(line, begin) && line != "" {
			all = append(all, fmt.Sprint("data ", i+1, " ", at, " ", keep(strings.TrimRight(line, "\r\n"))))
		}
		at += len(line)
	}
	return all
}

func TestPositions(t *testing.T) {
	r := random(t)
	same := func(line string) string { return line }
	for _, packed := range []func(b []byte) []byte{
		func(b []byte) []byte { return b }, func(b []byte) []byte { return zstdFrames(t, b, 1+r.IntN(30)) },
		func(b []byte) []byte { return bgzf(t, b, 1+r.IntN(30)) }, func(b []byte) []byte { return gzipped1(t, b) },
	} {
		text1 := drawText(r)
		twin(t, packed(text1), Positions(Lines()), placed(text), linesPlaced(text1, "", same))
		reads := []byte(drawFASTQ(r, "\r\n"))
		var want []string
		for i, line := range linesPlaced(reads, "", same) {
			if i%4 == 0 {
				name, bases := strings.SplitN(line, "@", 2), scanned(reads)[i+1]
				want = append(want, fmt.Sprintf("%s%q %q %q", name[0], name[1], bases, scanned(reads)[i+3]))
			}
		}
		twin(t, packed(reads), Positions(FASTQ()), placed(sequence), want)
		twin(t, packed([]byte("a,b\n\n\"1\n\",\"\r\n\"\n2,3\n\n4,5")), Positions(Rows()), placed(fields),
			[]string{`data 3 5 ["1\n" "\r\n"]`, `data 6 15 ["2" "3"]`, `data 8 20 ["4" "5"]`})
		twin(t, packed([]byte("% c\n2 1\n2\n\n1\n")), Positions(Edges(METIS)), placed(edgeText),
			[]string{"data 3 8 {1 2 1}"}, Skip(1))
	}
	file, records := pairs(t, 20, 3, "deflate")
	starts := blocksOf(t, file)
	for i := range records {
		records[i] = fmt.Sprint("data 0 ", starts[i/3], " ", records[i])
	}
	twin(t, file, Positions(AvroOf(avro.Must[pair]())), placed(func(v pair) string { return fmt.Sprint(v) }), records)
}

// drawText draws lines with either line end.
func drawText(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range r.IntN(40) {
		b.WriteString(strings.Repeat("x", r.IntN(9)) + []string{"\n", "\r\n"}[r.IntN(2)])
	}
	return b.Bytes()
}

// Errors name the position of a record, with and without positions.
func TestErrorsHavePositions(t *testing.T) {
	path := write(t, "data", []byte("1\n2\n"+strings.Repeat("3\n", 50)+"x\n4\n"))
	number := LinesOf(func(line []byte) (n int, err error) {
		_, err = fmt.Sscan(string(line), &n)
		return n, err
	})
	for _, ranks := range []int{1, 5} {
		_, err := ingest(ranks, number, func(n int) int { return n }, []string{path})
		require.ErrorContains(t, err, Position{path, 53, 104}.String()+": expected integer")
		_, err = ingest(ranks, Positions(number), func(Positioned[int]) int { return 0 }, []string{path})
		require.ErrorContains(t, err, Position{path, 53, 104}.String()+": expected integer")
	}
}
