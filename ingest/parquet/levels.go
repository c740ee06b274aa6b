package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// levels compares the header of a page of version 2 with the levels at the beginning of the page. The checksum of a
// page covers its levels, but not the header, which has their lengths.
func (p *pager) levels(leaf parquet.LeafColumn, h *format.DataPageHeaderV2, at int64) error {
	repeats, err := p.levelsAt(at, h.RepetitionLevelsByteLength, leaf.MaxRepetitionLevel)
	if err != nil {
		return err
	}
	at += int64(h.RepetitionLevelsByteLength)
	defined, err := p.levelsAt(at, h.DefinitionLevelsByteLength, leaf.MaxDefinitionLevel)
	if err != nil {
		return err
	}
	n := int64(h.NumValues)
	rows, whole := repeats.count(n, 0)
	present, complete := defined.count(n, leaf.MaxDefinitionLevel)
	if !whole || !complete || rows != int64(h.NumRows) || present != n-int64(h.NumNulls) {
		return fmt.Errorf("its levels are not those of %d values, %d nulls and %d rows, which its header claims: %w", n,
			h.NumNulls, h.NumRows, errDamaged)
	}
	return nil
}

// levelRuns are repetition or definition levels as a page stores them: runs of one level, and bit-packed runs
// (Parquet's "RLE / bit-packing hybrid").
type levelRuns struct {
	text  []byte
	width int // bits of a level; 0: all levels are 0, and take no bytes
}

// levelsAt reads the levels at an offset of the file. No level is larger than most.
func (p *pager) levelsAt(at int64, length int32, most int) (levelRuns, error) {
	l := levelRuns{make([]byte, length), bits.Len(uint(most))}
	_, err := io.ReadFull(io.NewSectionReader(p.file, at, int64(length)), l.text)
	return l, err
}

// count returns how many of the first n levels equal level. It reports whether all n are present, followed by nothing
// but the rest of a run.
func (l levelRuns) count(n int64, level int) (equal int64, complete bool) {
	if l.width == 0 {
		return n, len(l.text) == 0
	}
	for len(l.text) > 0 {
		head, k := binary.Uvarint(l.text)
		if k <= 0 || head > math.MaxInt32 {
			return 0, false
		}
		l.text = l.text[k:]
		inBits := head&1 == 1
		run, size := int64(head>>1), 1
		if inBits {
			run, size = 8*run, int(run)*l.width
		}
		if size > len(l.text) || run > 0 && n <= 0 || run > n && !inBits {
			return 0, false
		}
		if inBits {
			equal += packed(l.text[:size], l.width, min(run, n), level)
		} else if int(l.text[0]) == level {
			equal += run
		}
		n, l.text = n-run, l.text[size:]
	}
	return equal, n <= 0
}

// packed returns how many of the first n levels of a packed run equal level.
func packed(text []byte, width int, n int64, level int) (equal int64) {
	for i := range int(n) {
		v := 0
		for b := range width {
			bit := i*width + b
			v |= int(text[bit/8]>>(bit%8)&1) << b
		}
		if v == level {
			equal++
		}
	}
	return equal
}
