package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sequence(s Sequence) string { return fmt.Sprintf("%q %q %q", s.Name, s.Bases, s.Quality) }

// fastaLoop reads FASTA by a plain loop over lines.
func fastaLoop(content string) (all []string) {
	var name, bases string
	met := false
	for _, line := range append(scanned([]byte(content)), ">") {
		if !strings.HasPrefix(line, ">") {
			bases += line
			continue
		}
		if met {
			all = append(all, fmt.Sprintf("%q %q %q", name, bases, ""))
		}
		name, bases, met = line[1:], "", true
	}
	return all
}

func TestFASTA(t *testing.T) {
	for _, content := range []string{
		"", ">a b\nACGT\nAC\n>c\n>d\nA", ">a\r\nAC\r\nGT\r\n\r\n>b\r\n", "\n\n>a\nA\n\n\nC\n", ">", ">\n>\n>",
		"\xef\xbb\xbf>a\nA>C\nA>b\n",
		">long name with > in it\nMKV*\n>b\n" + strings.Repeat("ACGT\n", 30),
	} {
		t.Run(fmt.Sprintf("%.40q", content), func(t *testing.T) {
			twin(t, []byte(content), FASTA(), sequence, fastaLoop(content))
		})
	}
	r := random(t)
	for range 5 {
		content := ""
		for i := range r.IntN(8) {
			content += fmt.Sprintf(">%d\n%s", i, strings.Repeat("AC\n", r.IntN(5)))
		}
		twin(t, []byte(content), FASTA(), sequence, fastaLoop(content))
		twin(t, zstdFrames(t, []byte(content), 5), FASTA(), sequence, fastaLoop(content))
	}
}

// fastqLoop reads FASTQ by a plain loop over lines.
func fastqLoop(content string) (all []string) {
	lines := scanned([]byte(content))
	for i := 0; i+3 < len(lines); {
		if lines[i] == "" {
			i++
			continue
		}
		all = append(all, fmt.Sprintf("%q %q %q", lines[i][1:], lines[i+1], lines[i+3]))
		i += 4
	}
	return all
}

// drawFASTQ draws records with lines that begin like other kinds of lines.
func drawFASTQ(r *rand.Rand, end string) string {
	var b strings.Builder
	for range r.IntN(10) {
		n := r.IntN(6)
		quality := make([]byte, n)
		for i := range quality {
			quality[i] = "@+I@A"[r.IntN(5)]
		}
		name := []string{"@", "+", "r1", "@x", ""}[r.IntN(5)]
		b.WriteString("@" + name + end + strings.Repeat("A", n) + end + "+" + []string{"", name}[r.IntN(2)] + end +
			string(quality) + end)
	}
	return b.String()
}

func TestFASTQ(t *testing.T) {
	for _, content := range []string{"", "@a\nAC\n+\n@@\n@b\nG\n+b\n+", "@a\n\n+\n\n@b\n\n+\n\n",
		"\n\n@a\nA\n+\nI\n\n\n"} {
		t.Run(fmt.Sprintf("%q", content), func(t *testing.T) {
			twin(t, []byte(content), FASTQ(), sequence, fastqLoop(content))
		})
	}
	r := random(t)
	for i := range 30 {
		content := drawFASTQ(r, []string{"\n", "\r\n"}[i%2])
		twin(t, []byte(content), FASTQ(), sequence, fastqLoop(content))
		if i < 3 {
			twin(t, bgzf(t, []byte(content), 7), FASTQ(), sequence, fastqLoop(content))
		}
	}
}

// Sequences wrapped over several lines are read, whatever their qualities begin with.
func TestWrappedFASTQ(t *testing.T) {
	const two = "@r1\nACGT\nACGT\n+\n@III\n+III\n@r2\nACGT\n+r2\nIIII\n"
	want := []string{`"r1" "ACGTACGT" "@III+III"`, `"r2" "ACGT" "IIII"`}
	longer, lists := two, want
	for range 50 {
		longer, lists = longer+"\n"+two, append(lists, want...)
	}
	crlf := strings.ReplaceAll(longer, "\n", "\r\n")
	for _, content := range [][]byte{[]byte(longer), []byte(crlf), bgzf(t, []byte(longer), 9)} {
		for _, ranks := range []int{1, 3} {
			o, err := ingest(ranks, FASTQ(), sequence, []string{write(t, "data", content)}, window1(7))
			require.NoError(t, err)
			require.Equal(t, lists, o.all())
		}
	}
	for content, says := range map[string]string{
		"@a\nA\nA\n+\nI\n":                        "line 1: the file ends before the end of its quality",
		"@a\nA\nA\n+\nI\nII\n":                    "line 1: bases and quality differ in length",
		"@a\nA\nA\n+\nI\nI\n@b\nA\nC\n@c\n":       "line 7: expected a line with + behind the bases",
		"@a\nA\nA\n+b\nI\nI\n":                    "line 1: the name behind + differs",
		"@a\nA\nA\n+\nI\nI\nx\n":                  "line 7: expected a record that begins with @",
		two + "@a\n" + strings.Repeat("A\n", 200): "line 11: the record is longer than the limit",
	} {
		_, err := ingest(2, FASTQ(), sequence, []string{write(t, "data", []byte(content))}, RowLimit(100))
		require.ErrorContains(t, err, says, content)
		_, err = ingest(2, Positions(FASTQ()), func(s Positioned[Sequence]) string { return "" },
			[]string{write(t, "data", []byte(content))}, RowLimit(100), Skip(9))
		require.NoError(t, err)
	}
}

func TestSequencesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		format        Format[Sequence]
		content, want string
		rest          int // number of records left with Skip
	}{
		{FASTQ(), "@a\nA\n+\nI\nx\n@b\nA\n+\nI\n", "line 5: expected a record that begins with @", 2},
		{FASTQ(), "@a\nA\n+\nI\n@b\nA\nC\n@c\nA\n+\nI\n", "line 5: expected a line with + behind the bases", 2},
		{FASTQ(), "@a\nA\n+\n@b\nC\n+\nI\n", "line 1: another record begins before the end of its quality", 1},
		{FASTQ(), "@a\nA\n+b\nI\n@b\nA\n+\nI\n", "line 1: the name behind + differs from the name behind @", 1},
		{FASTQ(), "@a\nA\n+\nI\n@b\nA C\n+\nIII\n", "line 5: the bases have a blank, or a control character", 1},
		{FASTQ(), "@a\nA\tC\n+\nIII\n@b\n+\n\n", "line 1: the bases have a blank", 0},
		{FASTQ(), "@a\nAC\n+\nI \n@b\nA\n+\nI\n", "line 1: a quality is not from ! to ~", 1},
		{FASTQ(), "@a\nAC\n+\nI\x7f\n@b\nA\n+\n~\n", "line 1: a quality is not from ! to ~", 1},
		{FASTQ(), "@" + strings.Repeat("n", 200) + "\nA\n+\nI\n@b\nA\n+\nI\n",
			"line 1: the record is longer than the limit", 1},
		{FASTA(), ">a\n" + strings.Repeat("A", 200) + "\n>b\nA\n", "line 1: the record is longer than the limit", 1},
		{FASTQ(), "@a\n" + strings.Repeat("A", 200) + "\n+\n\n@b\nA\n+\nI\n",
			"line 1: the record is longer than the limit", 1},
	} {
		for _, ranks := range []int{1, 2, 40} {
			path := write(t, "data", []byte(c.content))
			_, err := ingest(ranks, c.format, sequence, []string{path}, RowLimit(100))
			require.ErrorContains(t, err, c.want)
			o, err := ingest(ranks, c.format, sequence, []string{path}, RowLimit(100), Skip(5))
			require.NoError(t, err)
			require.Equal(t, Report{int64(len(c.content)), int64(c.rest), 1, o.report.First}, o.report, c.content)
		}
	}
}

// fuzzed returns the part of the first or second piece of bytes that are cut at some place.
func fuzzed(content []byte, cut int, second bool) *part {
	p := piece{0, 0, int64(cut)}
	if second {
		p.from, p.to = p.to, int64(len(content))
	}
	in := &input{options: options{rowLimit: 1 << 10, skip: 1 << 20, window: windowBytes}, files: []file{{Name: "fuzzed",
		Size: int64(len(content))}}}
	s := &stream{reader: bytes.NewReader(content[p.from:]), edge: p.to - p.from}
	return &part{window: newWindow(s, in.rowLimit, make([]byte, 8)), input: in, piece: p}
}

func FuzzSequences(f *testing.F) {
	f.Add([]byte(">a\nA\n>b\n"), uint16(3), false)
	f.Add([]byte("@a\nA\n+\n@\n@b\nA\n+\nI\n"), uint16(9), true)
	f.Fuzz(func(t *testing.T, content []byte, cut uint16, fastq bool) {
		at := int(cut) % (len(content) + 1)
		stray := func(byte) badRecord { return "stray" }
		format := sequences{begun: (*part).begunFASTA, next: (*part).fasta, stray: stray}
		if fastq {
			format = sequences{begun: (*part).begunFASTQ, next: (*part).fastq, stray: stray}
		}
		for _, second := range []bool{false, true} {
			p := fuzzed(content, at, second)
			err := format.each(p, func(s Sequence) bool { return len(s.Quality) == 0 || len(s.Quality) == len(s.Bases) })
			if err != nil {
				require.ErrorContains(t, err, "EOF")
			}
		}
	})
}
