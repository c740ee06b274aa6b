package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/ocf"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// texts returns a function that reads a file in a format by ranks, and keeps its records as text.
func texts[T any](format Format[T], keep func(T) string) func(int, string, ...Option) (outcome[string], error) {
	return func(ranks int, path string, opts ...Option) (outcome[string], error) {
		return ingest(ranks, format, keep, []string{path}, opts...)
	}
}

type dated struct {
	Day   time.Time
	Count int8
	Share float64
}

var (
	asLines  = texts(Lines(), text)
	asRows   = texts(Rows(NoHeader()), fields)
	asTable  = texts(Rows(Columns("b")), fields)
	asDated  = texts(CSV[dated](), func(v dated) string { return fmt.Sprint(v.Day.Unix(), v.Count, v.Share) })
	asJSON   = texts(JSONLines[any](), func(v any) string { return fmt.Sprint(v) })
	asPairs  = texts(AvroOf(avro.Must[pair]()), func(v pair) string { return fmt.Sprint(v) })
	asValues = texts(Avro(), func(v any) string { return fmt.Sprint(v) })
	asFASTA  = texts(FASTA(), sequence)
	asFASTQ  = texts(FASTQ(), sequence)
	asEdges  = texts(Edges(EdgeList), edge)
	asArcs   = texts(Edges(PACE), edge)
	asMTX    = texts(Edges(MatrixMarket), edge)
)

// Odd contents are read, or are errors with file, line or block, and cause. With Skip, the other records of a file with
// bad ones are read. No row is lost in silence.
func TestOddContents(t *testing.T) {
	const header = "Day,Count,Share\n"
	const day = "2026-11-26T00:00:00Z"
	file := func(codec string) []byte { file, _ := pairs(t, 20, 7, codec); return file }
	a, b := []byte("a\n"), []byte("b\n")
	wrongSum := gzipped1(t, a)
	wrongSum[len(wrongSum)-8]++
	blocks := bgzf(t, []byte("a\nb\nc\n"), 2)
	endless := blocks[:bytes.LastIndex(blocks, []byte("\x1f\x8b\x08"))]
	deflated := func() string {
		whole := file("deflate")
		at := blocksOf(t, whole)
		mark := len(whole) - 16 // of the last block, whose header has two bytes
		data := whole[at[len(at)-1]+2 : mark]
		last := binary.AppendVarint(bytes.Clone(whole[:at[len(at)-1]+1]), int64(len(data)+4))
		return string(last) + string(data) + "more" + string(whole[mark:])
	}
	for _, c := range []struct {
		name    string
		read    func(int, string, ...Option) (outcome[string], error)
		content string
		want    string // of the error; empty for a good file
		records int    // number of records read, with Skip if there is an error; -1: none can be read
	}{
		{"mark of byte order", asLines, "\xef\xbb\xbfa\nb\n", "", 2},
		{"nothing but a mark", asLines, "\xef\xbb\xbf", "", 0},
		{"mark before a header", asTable, "\xef\xbb\xbfb\n1\n", "", 1},
		{"CRLF", asRows, "a\r\nb\r\n", "", 2},
		{"lone CR", asLines, "a\rb\rc", "", 1},
		{"NUL", asLines, "a\x00\n\x00\n", "", 2},
		{"NUL in a number", asDated, header + day + ",\"\x001\",1\n", `line 2: column "Count"`, 0},
		{"bad UTF-8", asLines, "\xff\xc0a\n", "", 1},
		{"UTF-16", asLines, "\xff\xfea\x00", "the text is UTF-16: convert it", -1},
		{"CR alone", asRows, "a,b\n1\r2,3\n4,5\n", "line 2: a field without quotes has a control character", 2},
		{"CR and CR LF", asRows, "a,b\n1,2\r\r\n3,4\n", "line 2: a field without quotes has a control character", 2},
		{"CR in quotes", asRows, "a,\"\r\"\n\"\r\n\",b\r\n", "", 2},
		{"NUL without quotes", asRows, "a,b\n\x00\x00\x00,\n1,2\n", "line 2: a field without quotes has a control", 2},
		{"DEL beside quotes", asRows, "a,b\n\"1\",2\x7f\n", "line 2: a field without quotes has a control character", 1},
		{"tabs", asRows, "a\tb,c\n", "", 1},
		{"NUL between quotes and comma", asRows, "a,b\n\"1\"\x00,2\n1,2\n", "line 2: extraneous or missing", 2},
		{"blank before quotes", asRows, "a,b\n1, \"2\"\n3,4\n", `line 2: bare " in non-quoted-field`, 2},
		{"text behind quotes", asRows, "a,b\n\"1\" ,2\n3,4\n", `line 2: extraneous or missing " in quoted-field`, 2},
		{"comma at the end", asRows, "a,b\n1,2,\n3,4\n", "line 2: the row has 3 fields, the header has 2", 2},
		{"open quotes", asRows, "a\n\"b\nc\n", `line 2: extraneous or missing " in quoted-field`, 1},
		{"quotes in a field", asRows, "a\nb\"c\nd\n", `line 2: bare " in non-quoted-field`, 2},
		{"ragged, short", asRows, "a,b\nc\nd,e\n", "line 2: the row has 1 fields, the header has 2", 2},
		{"ragged, long", asRows, "a,b\nc,d,e\n", "line 2: the row has 3 fields, the header has 2", 1},
		{"column missing", asTable, "a,c\n1,2\n", `line 1: no column "b"; the file has "a", "c". Rename`, -1},
		{"column twice", asTable, "b,b\n1,2\n", `line 1: two columns are called "b": rename one of them`, -1},
		{"header empty", asTable, "\nb\n", "line 1: the line is empty; expected the header", -1},
		{"number too large", asDated, header + day + ",128,1\n", `line 2: column "Count"`, 0},
		{"number negative", asDated, header + day + ",-128,-1e-300\n", "", 1},
		{"float too large", asDated, header + day + ",1,1e999\n", `line 2: column "Share"`, 0},
		{"not a number", asDated, header + day + ",1,NaN\n", "", 1},
		{"no date", asDated, header + "2026-02-30T00:00:00Z,1,1\n" + day + ",1,1\n", `line 2: column "Day"`, 1},
		{"date of another form", asDated, header + "26.11.2026,1,1\n", `line 2: column "Day"`, 0},
		{"field empty", asDated, header + day + ",,1\n", `line 2: column "Count"`, 0},

		{"JSON deep", asJSON, "1\n" + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "\n2\n",
			"line 2: invalid character '[' exceeded max depth", 2},
		{"JSON, two on a line", asJSON, "1\n2 3\n", "line 2: invalid character '3' after top-level value", 1},
		{"JSON over two lines", asJSON, "1\n[\n2\n", "line 2: unexpected end of JSON input", 2},
		{"JSON of bad UTF-8", asJSON, "1\n\"\xff\"\n", "line 2: the text is not UTF-8: convert it", 1},
		{"JSON cut short", asJSON, "1\n{\"a\":", "line 2: unexpected end of JSON input", 1},

		{"JSON, a name twice", asJSON, "1\n{\"a\":1,\"b\":{\"a\":2},\"a\":3}\n", `line 2: an object has the name "a"`, 1},
		{"JSON, a name twice by an escape", asJSON, "{\"\\u0061\":1,\"a\":2}\n",
			`line 1: an object has the name "a" twice`, 0},
		{"JSON, one name in two objects", asJSON, `[{"a":1},{"a":[{"a":2,"b":"\"a\":,{"}]}]`, "", 1},
		{"JSON, half of a pair", asJSON, "\"\\uD83D\"\n\"\\uD83D\\uDE00\"\n", "line 1: a string has half of", 1},
		{"JSON, the other half", asJSON, "\"\\\\\\uDE00\\uD83D\"\n1\n", "line 1: a string has half of", 1},
		{"JSON, pair turned", asJSON, "\"\\uD83D\\uD83D\"\n1\n", "line 1: a string has half of a surrogate pair", 1},
		{"JSON, an escaped backslash", asJSON, "\"\\\\uD83D\"\n", "", 1},
		{"JSON, a form feed", asJSON, "1\n\f\n2\n", `line 2: invalid character '\f'`, 2},
		{"JSON, blanks", asJSON, " \t\r\n\n1\n", "", 1},
		{"JSON, a comma too many", asJSON, "[1,]\n2\n", "line 1: invalid character ']'", 1},
		{"JSON, NaN", asJSON, "1\nNaN\n", "line 2: invalid character 'N'", 1},
		{"JSON, a zero before", asJSON, "01\n1\n", "line 1: invalid character '1'", 1},
		{"JSON, a number too large", asJSON, "1e999\n1\n", "line 1: json: cannot unmarshal number 1e999", 1},
		{"JSON, a mark within", asJSON, "\xef\xbb\xbf1\n\xef\xbb\xbf2\n", "line 2: invalid character", 1},

		{"edge without an end", asEdges, "1 2\n3\n", "line 2: the line ends early; expected a vertex", 1},
		{"vertex negative", asEdges, "1 2\n-1 2\n", `line 2: found "-1 2"; expected a vertex`, 1},
		{"vertex too large", asEdges, "1 18446744073709551616\n", "line 1: the vertex", 0},
		{"weight no number", asEdges, "1 2 x\n", `line 1: found "x"; expected a weight`, 0},
		{"weight NaN", asEdges, "1 2 NaN\n", `line 1: found "NaN"; expected a weight`, 0},
		{"weight missing", asArcs, "p sp 2 1\na 1 2\n", "line 2: the line ends early; expected a weight", 0},
		{"matrix without a header", asMTX, "2 2 1\n1 1 1\n",
			`line 1: found "2 2 1"; expected the header "%%MatrixMarket`, -1},
		{"matrix of no byte", asMTX, "", "the file is empty; expected the header of a Matrix Market file", -1},

		{"FASTA without a header", asFASTA, "ACGT\n>a\nA\n", "line 1: expected a record that begins with >", 1},
		{"FASTA without bases", asFASTA, ">a\n>b\n", "", 2},
		{"FASTA, a blank", asFASTA, ">a\nAC GT\n>b\nA\n", "line 1: the bases have a blank, or a control character", 1},
		{"FASTA, a NUL", asFASTA, ">b\nA\n>a\nAC\x00GT\n", "line 3: the bases have a blank, or a control character", 1},
		{"FASTA, a comment", asFASTA, ">a\nAC\n;note\nGT\n>b\nA\n", "line 1: a comment (;) stands among the bases", 1},
		{"FASTA, CR alone", asFASTA, ">a\rAC\r>b\rA\r", "line 1: the name has a carriage return", 0},
		{"FASTA, gaps and stops", asFASTA, ">a b\tc\nAC-N.\nacgt*\n", "", 1},
		{"FASTQ, another name", asFASTQ, "@a\nA\n+\nI\n@b\nA\n+c\nI\n", "line 5: the name behind + differs", 1},
		{"FASTQ, another word", asFASTQ, "@b x\nA\n+b\nI\n@a\nA\n+a\nI\n", "line 1: the name behind + differs", 1},
		{"FASTQ, CR alone", asFASTQ, "@a\rAC\r+\rII\r", "line 1: expected a line with +", 0},
		{"FASTQ, wrapped", asFASTQ, "@r1\nACGT\nACGT\n+\n@III\n+III\n@r2\nACGT\n+\nIIII\n", "", 2},
		{"FASTQ, a second quality", asFASTQ, "@a\nAC\n+\nII\nII\n@b\nA\n+\nI\n", "line 5: expected a record", 2},
		{"FASTQ, cut behind +", asFASTQ, "@b\nA\n+\nI\n@a\nAC\n+\n", "line 5: bases and quality differ", 1},
		{"FASTQ, cut in a name", asFASTQ, "@b\nA\n+\nI\n@a", "line 5: expected a line with +", 1},
		{"FASTQ, quality short", asFASTQ, "@a\nAC\n+\nI\n@b\nA\n+\nI\n", "line 1: bases and quality differ in length", 1},
		{"FASTQ cut short", asFASTQ, "@a\nA\n+\nI\n@b\nA\n", "line 5: expected a line with + behind the bases", 1},
		{"FASTQ in FASTA", asFASTQ, ">a\nA\n", "line 1: expected a record that begins with @", 0},

		{"Avro of no byte", asPairs, "", "the file begins with", -1},
		{"Avro of text", asPairs, "a,b\n",
			`the file begins with "a,b\n", not as an Avro object container file does`, -1},
		{"Avro of a codec that is unknown", asPairs, strings.Replace(string(file("deflate")), "deflate", "deflat2", 1),
			`blocks are compressed by "deflat2"`, -1},
		{"Avro of another schema", asPairs, strings.Replace(string(file("null")), `"long"`, `"null"`, 1),
			"the records' schema: field N: it is null; expected long", -1},
		{"Avro of a bad schema", asPairs, strings.Replace(string(file("null")), `"long"`, `"lang"`, 1),
			"the records' schema: ", -1},
		{"Avro, snappy's sum", asPairs, string(snappySum(t, file("snappy"))), "data: the block at byte", 13},

		{"Avro, deflate and more", asPairs, deflated(), "4 bytes follow the compressed ones", 14},
		{"Avro without a schema", asPairs, "Obj\x01\x00" + strings.Repeat("s", 16), "the header has no avro.schema", -1},
		{"Avro, an int of 64 bits", asValues, ocfOf(`"int"`, binary.AppendVarint(nil, 1<<40)), "is not a value of int", 0},
		{"Avro, a boolean of 2", asValues, ocfOf(`"boolean"`, []byte{2}), "record 1: 2 is not a boolean", 0},
		{"Avro, a number without an end", asValues, ocfOf(`"long"`, bytes.Repeat([]byte{0x80}, 11)), "more than 64 bits", 0},
		{"Avro, a member too many", asValues, ocfOf(`["null","long"]`, []byte{4}), "2 is not a member of a union " +
			"of 2", 0},
		{"Avro, a symbol too many", asValues, ocfOf(`{"type":"enum","name":"e","symbols":["A"]}`, []byte{2}),
			`1 is not a symbol of enum of ["A"]`, 0},
		{"Avro, a length below 0", asValues, ocfOf(`"string"`, []byte{1}), "a length of -1", 0},
		{"Avro, an array too long", asValues, ocfOf(`{"type":"array","items":"long"}`, binary.AppendVarint(nil, 1<<40)),
			"a count of 1099511627776 exceeds", 0},
		{"Avro, a field twice", asPairs, ocfOf(`{"type":"record","name":"r","fields":[{"name":"N","type":"long"},`+
			`{"name":"N","type":"long"},{"name":"Name","type":"string"}]}`, []byte{0, 0, 0}),
			`a record has the field "N" twice`, -1},
		{"Avro, more behind", asPairs, string(file("null")) + "garbage", "the block at byte", 20},
		{"Avro of version 2", asPairs, "Obj\x02" + string(file("null"))[4:], `the file begins with "Obj\x02"`, -1},

		{"gzip of another method", asLines, "\x1f\x8b\x07 and so on", "unknown gzip method 7", -1},
		{"gzip, a reserved bit", asLines, "\x1f\x8b\x08\x80" + strings.Repeat("x", 20), "gzip: invalid header", -1},
		{"compress", asLines, "\x1f\x9d\x90abc", "compression by compress is not supported", -1},
		{"gzip in members", asLines, string(append(gzipped1(t, a), gzipped1(t, b)...)), "", 2},
		{"gzip of no byte", asLines, string(gzipped1(t, nil)), "", 0},
		{"gzip, more behind", asLines, string(append(gzipped1(t, a), "garbage"...)), "data: decompress: ", -1},
		{"gzip, NULs behind", asLines, string(append(gzipped1(t, a), make([]byte, 512)...)), "decompress: gzip", -1},
		{"gzip, wrong sum", asLines, string(wrongSum), "decompress: gzip: invalid checksum", -1},
		{"gzip cut short", asLines, string(wrongSum[:len(wrongSum)-1]), "decompress: ", -1},
		{"BGZF", asLines, string(blocks), "", 3},
		{"BGZF without its end", asLines, string(endless), "the empty last block of a BGZF file is missing", -1},
		{"BGZF and gzip", asLines, string(append(bytes.Clone(blocks), gzipped1(t, a)...)), "", 4},
		{"zstd of unknown size", asLines, string(streamed(t, a)), "", 1},
		{"zstd of a dictionary", asLines, string(withDictionary(t, []byte("a\n"))), "data: decompress: ", -1},
		{"zstd of a huge window", asLines, "\x28\xb5\x2f\xfd\x00\xf0\x11\x00\x00a\n", "data: decompress: ", -1},
		{"zstd, garbage behind", asLines, string(append(zstdFrames(t, a, 9), "garbage"...)), "decompress: ", -1},
		{"zstd, a frame to skip", asLines, string(append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00xx"),
			zstdFrames(t, a, 9)...)), "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "data", []byte(c.content))
			for _, ranks := range []int{1, 3} {
				o, err := c.read(ranks, path)
				if c.want == "" {
					require.NoError(t, err)
					require.Len(t, o.all(), c.records)
					continue
				}
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, "data: ")
				o, err = c.read(ranks, path, Skip(9))
				if c.records < 0 {
					require.ErrorContains(t, err, c.want)
					continue
				}
				require.NoError(t, err)
				require.Len(t, o.all(), c.records)
				require.Equal(t, int64(1), o.report.Skipped)
				require.Contains(t, o.report.First, c.want)
			}
		})
	}
}

// ocfOf returns an Avro file of one record.
func ocfOf(schema string, record []byte) string {
	w, err := ocf.NewWriter(ocf.Header{Schema: schema, Codec: "null"})
	if err != nil {
		panic(err)
	}
	file, err := w.Append(w.Header.Append(nil), 1, record)
	if err != nil {
		panic(err)
	}
	return string(file)
}

// snappySum changes the checksum of the second block.
func snappySum(t *testing.T, file []byte) []byte {
	file[blocksOf(t, file)[2]-17]++
	return file
}

// streamed returns a frame without its size.
func streamed(t *testing.T, content []byte) []byte {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	_, err = z.Write(content)
	require.NoError(t, err)
	require.NoError(t, z.Flush())
	require.NoError(t, z.Close())
	var h zstd.Header
	require.NoError(t, h.Decode(b.Bytes()))
	require.False(t, h.HasFCS)
	return b.Bytes()
}

// withDictionary returns a frame that needs a dictionary.
func withDictionary(t *testing.T, content []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(7, []byte("some words that stand before")))
	require.NoError(t, err)
	defer z.Close()
	return z.EncodeAll(content, nil)
}

// A file that was replaced by another one of its name is an error.
func TestReplacedFile(t *testing.T) {
	path := write(t, "data", []byte("a\nb\n"))
	ranks1(t, func(r *pebble.Rank) {
		in, err := Open(r, []string{path}, Lines())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+"2", []byte("c\nd\n"), 0o600))
		require.NoError(t, os.Rename(path+"2", path))
		for range in.All() {
			t.Error("a line of another file")
		}
		require.ErrorContains(t, in.Err(), "data: the file was replaced while the job read it: ")
	})
}

// A block of Avro that decompresses to 10 GB is an error at the limit, for every compression. So is one that claims to.
func TestAvroBombs(t *testing.T) {
	for _, codec := range []string{"deflate", "snappy", "zstandard"} {
		w, err := ocf.NewWriter(ocf.Header{Schema: `"bytes"`, Codec: codec})
		require.NoError(t, err)
		file, err := w.Append(w.Header.Append(nil), 1, make([]byte, 64<<20))
		require.NoError(t, err)
		if codec == "snappy" { // 10 GB, by its first bytes
			claim := append([]byte("\x80\x80\x80\x80\x0f"), make([]byte, 1<<20)...)
			file = w.Header.Append(nil)
			file = append(file, 2)
			file = append(file, "\x92\x80\x80\x01"...)
			file = append(append(file, claim...), fmt.Append(nil, "sum!")...)
			file = append(file, make([]byte, 16)...)
		}
		in := whole(t, write(t, "bomb", file))
		in.rowLimit = 1 << 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = readOne(in, Avro())
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, "bomb: the block at byte", codec)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), codec)
	}
}
