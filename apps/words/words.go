// Package words counts the words of a text on Active Pebbles for Go: of files, which all ranks read, or of a generated
// text. A word is the text between blanks and line ends. A container.Counter counts it at the rank that owns it, and
// counts of frequent words are summed before they travel.
package words

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Config configures Run, as package apps says. The zero value counts a text of 64 MiB.
type Config struct {
	// Seed determines the text. Progress counts bytes that rank 0 has counted. Output gets the words with their counts,
	// in the order of their bytes; 0 for Output.Top is TopDefault.
	apps.Common
	apps.Input      // files to count. None: a text is generated
	Bytes      int  // of the generated text, over all ranks. 0 is BytesDefault
	Vocabulary int  // number of different words to draw from. 0 is VocabularyDefault
	SkipTwin   bool // do not compare the result with a serial one
}

// The defaults.
const (
	BytesDefault      = 64 << 20
	VocabularyDefault = 1_000_000
	TopDefault        = 10
)

const (
	bytesMost = 1 << 40
	topMost   = 1 << 20
	twinMost  = 64 << 20 // maximum number of bytes that rank 0 also counts serially
)

func (c Config) withDefaults() Config {
	c.Bytes, c.Vocabulary = cmp.Or(c.Bytes, BytesDefault), cmp.Or(c.Vocabulary, VocabularyDefault)
	c.Output.Top = cmp.Or(c.Output.Top, TopDefault)
	return c
}

// Check returns an error if c is invalid.
func (c Config) Check(int) error {
	switch {
	case c.Bytes < 0 || c.Bytes > bytesMost:
		return fmt.Errorf("words: a text of %d bytes: give 1 to %d", c.Bytes, bytesMost)
	case c.Vocabulary < 0 || c.Vocabulary > vocabularyMost:
		return fmt.Errorf("words: %d words: give 1 to %d", c.Vocabulary, vocabularyMost)
	case c.Output.Top < 0 || c.Output.Top > topMost:
		return fmt.Errorf("words: the %d most frequent words: give 1 to %d", c.Output.Top, topMost)
	case len(c.Files) > 0 && (c.Bytes > 0 || c.Vocabulary > 0):
		return fmt.Errorf("words: bytes and vocabulary describe a generated text, but files are given: leave them out")
	}
	return c.Output.Check()
}

// Count is a word and its count.
type Count struct {
	Word  string `json:"word"`
	Count uint64 `json:"count"`
}

// Result is the report of Run.
type Result struct {
	apps.Report
	Files          int     `json:"files"`
	Bytes          uint64  `json:"bytes"` // of the text, without line ends
	Words          uint64  `json:"words"`
	Distinct       uint64  `json:"distinct"`
	WordsPerSecond float64 `json:"words_per_second"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	Top            []Count `json:"top"` // the most frequent words, highest count first, then by their bytes
	Twin           bool    `json:"twin"`
}

// Rows returns the labels and values of a summary for display.
func (p Result) Rows() [][2]string {
	rows := [][2]string{
		{"words", fmt.Sprintf("%d, %d of them distinct, in %.4g MB", p.Words, p.Distinct, float64(p.Bytes)/1e6)},
		{"words a second", fmt.Sprintf("%.3g million (%.4g MB/s)", p.WordsPerSecond/1e6, p.BytesPerSecond/1e6)},
	}
	for i, c := range p.Top {
		label := ""
		if i == 0 {
			label = "most frequent"
		}
		rows = append(rows, [2]string{label, fmt.Sprintf("%d %q", c.Count, c.Word)})
	}
	return append(rows, p.TwinRow(p.Twin))
}

// Run counts words on a job, as package apps says. It compares the words of all ranks with the contents of the counter,
// by sums over hashes. A generated text of at most 64 MiB is also counted serially.
func Run(r *pebble.Rank, c Config) (result Result, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	b := &bench{rank: r, config: c.withDefaults()}
	result = Result{Report: apps.NewReport(r, "words", c.Seed)}
	to := apps.Output{Path: c.Output.Path, Replace: c.Output.Replace} // the counter has the most frequent ones
	if b.out, err = apps.NewRowWriter(r, to, ""); err != nil {
		return result, err
	}
	defer b.out.Abort()
	b.counts = container.NewCounter[string](r, "words")
	if len(c.Files) > 0 {
		if b.files, err = ingest.Open(r, c.Files, ingest.Lines(), c.Options()...); err != nil {
			return result, err
		}
		result.Files = len(b.files.Files())
	}
	err = result.RunPhases(r, apps.Phases{
		Load:   b.load,
		Kernel: b.kernel,
		Sum:    func() error { return b.sum(&result) },
		Rate: func() {
			result.WordsPerSecond = apps.Rate(float64(result.Words), result.Seconds)
			result.BytesPerSecond = apps.Rate(float64(result.Bytes), result.Seconds)
		},
		Verify: func() error { return b.verify(&result) },
	})
	if err == nil {
		err = b.write(&result.Report)
	}
	return result, err
}

// write writes the words with their counts, sorted.
func (b *bench) write(p *apps.Report) error {
	if !b.out.Wanted() || p.Errors > 0 {
		return nil
	}
	rows := table.NewRows(b.rank, "words in order", container.Budget{})
	for word, n := range b.counts.LocalAll() {
		rows.Add(string(table.Append(table.AppendTextKey(nil, []byte(word), false), table.UintOf(n))))
	}
	columns := []table.Column{table.TextColumn("word"), table.CountColumn("count")}
	_, err := table.WriteSorted(p, rows, b.out, columns, func(dst []table.Value, row string) []table.Value {
		word, rest := table.TextKey(nil, row, false)
		dst, _ = table.Values(append(dst, table.TextOf(string(word))), rest, 1)
		return dst
	})
	if err != nil {
		return err
	}
	return b.out.Close(p)
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	counts *container.Counter[string]
	files  *ingest.Source[[]byte]
	out    *apps.RowWriter
	text   []byte // generated text
	met    met
}

// met is a rank's totals of the text.
type met struct {
	Bytes uint64
	apps.Counted
}

func (m met) add(o met) met { return met{m.Bytes + o.Bytes, m.Plus(o.Counted)} }

func (b *bench) load() error {
	if b.files == nil {
		b.rank.Status("makes up a text")
		b.text = Text(b.config, b.rank.ID(), b.rank.Size())
	}
	return nil
}

func (b *bench) kernel() error {
	b.rank.Status("counts words")
	return b.rank.Epoch(func() error {
		s := splitter{take: func(words [][]byte) {
			container.AddWords(b.counts, words)
			for _, w := range words {
				b.met.Hashes += hash(w)
			}
			b.met.Items += uint64(len(words))
		}}
		if b.files == nil {
			for text := b.text; len(text) > 0; {
				line, rest := cut(text)
				b.count(&s, line)
				text = rest
			}
			s.flush()
			return nil
		}
		for line := range b.files.All() {
			b.count(&s, line)
		}
		s.flush()
		return b.files.Err()
	}, pebble.Named("count"))
}

// count counts the words of a line, which the caller may reuse.
func (b *bench) count(s *splitter, line []byte) {
	const every = 1 << 20
	before := b.met.Bytes
	b.met.Bytes += uint64(len(line))
	s.line(line)
	b.config.Progress.Passed(b.rank, every, before, b.met.Bytes, 0)
}

func (b *bench) sum(p *Result) error {
	total, err := pebble.AllReduce(b.rank, b.met, met.add)
	if err != nil {
		return err
	}
	if b.files != nil {
		report, err := b.files.Report()
		if err != nil {
			return err
		}
		p.Read(report)
	}
	p.Bytes, p.Words = total.Bytes, total.Items
	if p.Distinct, err = b.counts.Len(); err != nil {
		return err
	}
	top, err := b.counts.TopK(b.config.Output.Top, byCount)
	for _, e := range top {
		p.Top = append(p.Top, Count{e.Key, e.Value})
	}
	return err
}

func byCount(a, b container.Count[string]) int {
	return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Key, b.Key))
}

// verify compares the words of the text with those in the counter.
func (b *bench) verify(p *Result) error {
	byText := func(word string) uint64 { return hash([]byte(word)) }
	if err := apps.FoundInCounter(&p.Report, b.rank, b.counts, b.met.Counted, byText, "words"); err != nil {
		return err
	}
	p.Twin = b.files == nil && !b.config.SkipTwin && p.Bytes <= twinMost
	return p.Compare(b.rank, p.Twin, func() (uint64, error) {
		want := Serial(b.config, b.rank.Size())
		return apps.Differ(want.Words == p.Words, want.Distinct == p.Distinct, slices.Equal(want.Top, p.Top)), nil
	})
}

// Serial is the plain twin of Run for a text generated for the given number of ranks: a Go map on one goroutine.
func Serial(c Config, ranks int) (result Result) {
	c = c.withDefaults()
	counts := map[string]uint64{}
	for rank := range ranks {
		for _, word := range fields(Text(c, rank, ranks)) {
			counts[string(word)]++
			result.Words++
		}
	}
	for word, n := range counts {
		result.Top = append(result.Top, Count{word, n})
	}
	result.Distinct = uint64(len(counts))
	slices.SortFunc(result.Top, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
	result.Top = result.Top[:min(c.Output.Top, len(result.Top))]
	return result
}
