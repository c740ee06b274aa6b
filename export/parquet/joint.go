package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/activepebbles/pebbles/export"
)

// magic begins and ends a file. The one at the end follows the footer, which has the offsets of all columns, and 4
// bytes with the footer's length.
const magic = "PAR1"

// groupsMost is the maximum number of row groups in a file, whose numbers have 16 bits.
const groupsMost = 1<<15 - 1

// joint joins several files to one: it moves row groups, and writes one footer for all. It drops page indexes, which
// are optional and contain offsets, too.
type joint struct{}

// Cut implements export.Joint. The note is the footer.
func (joint) Cut(part io.ReaderAt, size int64, first bool) (p export.Piece, err error) {
	tail := make([]byte, 4+len(magic))
	if _, err := part.ReadAt(tail, size-int64(len(tail))); err != nil {
		return p, err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	p.Note = make([]byte, length)
	if _, err := part.ReadAt(p.Note, size-int64(len(tail))-length); err != nil {
		return p, err
	}
	footer, err := decode(p.Note)
	if err != nil {
		return p, err
	}
	p.From, p.To = int64(len(magic)), int64(len(magic))
	if first {
		p.From = 0
	}
	for _, g := range footer.RowGroups {
		for i := range g.Columns {
			m := &g.Columns[i].MetaData
			p.To = max(p.To, begin(m)+m.TotalCompressedSize)
		}
	}
	return p, nil
}

// begin returns the offset of a column of a row group in its file.
func begin(m *format.ColumnMetaData) int64 {
	if d := m.DictionaryPageOffset; d > 0 {
		return min(d, m.DataPageOffset)
	}
	return m.DataPageOffset
}

// End implements export.Joint.
func (joint) End(pieces []export.Piece, begins []int64) ([]byte, error) {
	var whole *format.FileMetaData
	for i, p := range pieces {
		footer, err := decode(p.Note)
		if err != nil {
			return nil, err
		}
		move(footer, begins[i]-p.From)
		if whole == nil {
			whole = footer
			continue
		}
		if len(footer.Schema) != len(whole.Schema) {
			return nil, errors.New("the columns of ranks differ: give the same ones on all ranks")
		}
		whole.NumRows += footer.NumRows
		whole.RowGroups = append(whole.RowGroups, footer.RowGroups...)
	}
	if len(whole.RowGroups) > groupsMost {
		return nil, fmt.Errorf("%d row groups, and a Parquet file has %d at most: write a folder, by a slash behind the name",
			len(whole.RowGroups), groupsMost)
	}
	for i := range whole.RowGroups {
		whole.RowGroups[i].Ordinal = int16(i)
	}
	var protocol thrift.CompactProtocol
	text, err := thrift.Marshal(&protocol, whole)
	if err != nil {
		return nil, err
	}
	text = binary.LittleEndian.AppendUint32(text, uint32(len(text)))
	return append(text, magic...), nil
}

// move adds to the offsets of a file's row groups.
func move(footer *format.FileMetaData, by int64) {
	for i := range footer.RowGroups {
		g := &footer.RowGroups[i]
		g.FileOffset += by
		for j := range g.Columns {
			c := &g.Columns[j]
			c.OffsetIndexOffset, c.OffsetIndexLength, c.ColumnIndexOffset, c.ColumnIndexLength = 0, 0, 0, 0
			if c.FileOffset > 0 {
				c.FileOffset += by
			}
			c.MetaData.DataPageOffset += by
			if c.MetaData.DictionaryPageOffset > 0 {
				c.MetaData.DictionaryPageOffset += by
			}
		}
	}
}

func decode(note []byte) (*format.FileMetaData, error) {
	footer := &format.FileMetaData{}
	var protocol thrift.CompactProtocol
	if err := thrift.Unmarshal(&protocol, note, footer); err != nil {
		return nil, fmt.Errorf("the footer of a part: %w", err)
	}
	return footer, nil
}
