package ingest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJSONLines(t *testing.T) {
	type point struct {
		X int    `json:"x"`
		S string `json:"s,omitempty"`
	}
	content := "{\"x\":1}\n\n  \r\n{\"s\":\"\\n\\u00e4\",\"x\":-2,\"other\":[{}]}\r\n{}"
	twin(t, []byte(content), JSONLines[point](), func(p point) string { return fmt.Sprint(p) }, []string{"{1 }",
		"{-2 \nä}", "{0 }"})
	twin(t, []byte("[1]\nnull\n\"a\""), JSONLines[any](), func(v any) string { return fmt.Sprint(v) }, []string{"[1]",
		"<nil>", "a"})
	for content, want := range map[string]string{
		"{}\n{\"x\":1.5}\n": "line 2: json: cannot unmarshal number 1.5",
		"\x00\n":            `line 1: invalid character '\x00'`,
	} {
		path := write(t, "data", []byte(content))
		_, err := ingest(2, JSONLines[point](), func(p point) point { return p }, []string{path})
		require.ErrorContains(t, err, want)
	}
}

func BenchmarkJSONLines(b *testing.B) {
	var text []byte
	for i := range 1 << 18 {
		text = fmt.Appendf(text, "{\"a\":%d,\"b\":\"some words of text\",\"c\":%g}\n", i, float64(i)/7)
	}
	in := whole(b, write(b, "json", text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		require.NoError(b, readOne(in, JSONLines[struct {
			A int
			B string
		}]()))
	}
}

func BenchmarkSequences(b *testing.B) {
	var fastq, fasta []byte
	line := "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT"
	for i := range 1 << 18 {
		fastq = fmt.Appendf(fastq, "@r%d\n%s%s\n+\n%s%s\n", i, line, line, line, line)
		fasta = fmt.Appendf(fasta, ">r%d\n%s\n%s\n%s\n", i, line, line, line)
	}
	for name, c := range map[string]struct {
		text   []byte
		format Format[Sequence]
	}{"fasta": {fasta, FASTA()}, "fastq": {fastq, FASTQ()}} {
		b.Run(name, func(b *testing.B) {
			in := whole(b, write(b, name, c.text))
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				require.NoError(b, readOne(in, c.format))
			}
		})
	}
}
