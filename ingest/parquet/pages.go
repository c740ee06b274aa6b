package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// pageHeaderMax bounds the header of a page, which may contain the least and the greatest value of the page.
const pageHeaderMax = 1 << 20

// windowMax is the maximum memory that zstd may require, as for whole files.
const windowMax = 128 << 20

// A pager checks the pages of column chunks before the library reads them. The library allocates any size that a page
// claims, decompresses without a limit, and does not terminate for some damaged pages.
type pager struct {
	file   io.ReaderAt
	size   int64
	limit  int             // maximum bytes of a page after decompression
	wanted map[string]bool // columns, by their paths
	schema *parquet.Schema // of the file
	zstd   *zstd.Decoder
}

// group checks the pages of a row group's wanted columns.
func (p *pager) group(g format.RowGroup) error {
	for _, c := range g.Columns {
		name := strings.Join(c.MetaData.PathInSchema, ".")
		if leaf, _ := p.schema.Lookup(c.MetaData.PathInSchema...); p.wanted[name] {
			if err := p.check(&c.MetaData, leaf, g.NumRows); err != nil {
				return fmt.Errorf("column %s: %w", name, err)
			}
		}
	}
	return nil
}

// check checks all pages of a column chunk of the given number of rows.
func (p *pager) check(c *format.ColumnMetaData, leaf parquet.LeafColumn, rows int64) error {
	at := c.DataPageOffset
	if d := c.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	if at < 0 || c.TotalCompressedSize < 0 || c.TotalCompressedSize > p.size-at {
		return fmt.Errorf("a column claims more bytes than the file has: %w", errDamaged)
	}
	values := int64(0)
	for end := at + c.TotalCompressedSize; at < end; {
		h, n, err := p.header(at)
		if err == nil {
			err = p.page(c.Codec, leaf, h, at+n)
		}
		if err != nil {
			return fmt.Errorf("the page at byte %d: %w", at, err)
		}
		values += int64(max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues))
		at += n + int64(h.CompressedPageSize)
	}
	if values != c.NumValues || leaf.MaxRepetitionLevel == 0 && values != rows {
		return fmt.Errorf("its pages have %d values, %d by the footer, in %d rows: %w", values, c.NumValues, rows, errDamaged)
	}
	return nil
}

// header reads the header of a page, and returns its length.
func (p *pager) header(at int64) (*format.PageHeader, int64, error) {
	var protocol thrift.CompactProtocol
	for most := int64(4 << 10); ; most *= 16 {
		head := make([]byte, min(most, p.size-at))
		if n, err := p.file.ReadAt(head, at); n < len(head) {
			return nil, 0, err
		}
		var h format.PageHeader
		r := protocol.NewReaderFromBytes(head)
		err := thrift.NewDecoder(r).Decode(&h)
		if err == nil {
			return &h, int64(r.BytesRead()), nil
		}
		if most >= pageHeaderMax || int64(len(head)) < most {
			return nil, 0, fmt.Errorf("its header is damaged: %w", err)
		}
	}
}

// page checks a page by its header.
func (p *pager) page(codec format.CompressionCodec, leaf parquet.LeafColumn, h *format.PageHeader, at int64) error {
	packed, size, levels := int64(h.CompressedPageSize), int64(h.UncompressedPageSize), int64(0)
	values := max(h.DataPageHeader.V.NumValues, h.DictionaryPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues)
	v := &h.DataPageHeaderV2.V
	if h.DataPageHeaderV2.Valid { // levels precede the compressed bytes
		levels = int64(v.RepetitionLevelsByteLength) + int64(v.DefinitionLevelsByteLength)
		if v.IsCompressed.Valid && !v.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	switch {
	case packed < 0 || size < 0 || packed > p.size-at || min(v.RepetitionLevelsByteLength,
		v.DefinitionLevelsByteLength) < 0 || levels > min(packed, size):
		return fmt.Errorf("its header claims more bytes than there are: %w", errDamaged)
	case codec == format.Uncompressed && packed != size:
		return errOther
	case size > int64(p.limit) || int(values) > p.limit || packed > int64(p.limit)+int64(p.limit)/8+1<<10:
		return fmt.Errorf("it has %d bytes and %d values, more than the limit of %d: raise ingest.RowLimit", size,
			values, p.limit)
	}
	if h.Type == format.DictionaryPage && h.CRC != 0 { // the library checks the other checksums
		sum := crc32.NewIEEE()
		if _, err := io.Copy(sum, io.NewSectionReader(p.file, at, packed)); err != nil {
			return err
		}
		if sum.Sum32() != uint32(h.CRC) {
			return fmt.Errorf("its checksum is wrong: %w", errDamaged)
		}
	}
	err := p.unpacks(codec, io.NewSectionReader(p.file, at+levels, packed-levels), int(size-levels))
	if err == nil && h.DataPageHeaderV2.Valid {
		err = p.levels(leaf, v, at)
	}
	return err
}

// unpacks returns an error if compressed bytes do not become size bytes. Only snappy stores the size in its first
// bytes.
func (p *pager) unpacks(codec format.CompressionCodec, packed *io.SectionReader, size int) (err error) {
	if packed.Size() == 0 && size > 0 {
		return errOther
	} else if packed.Size() == 0 {
		return nil
	}
	switch codec {
	case format.Snappy:
		head := make([]byte, min(packed.Size(), binary.MaxVarintLen64))
		if _, err = io.ReadFull(packed, head); err != nil {
			return err
		}
		n, err := s2.DecodedLen(head)
		if err == nil && n != size {
			err = errOther
		}
		return err
	case format.Lz4Raw:
		data, err := io.ReadAll(packed)
		if err != nil {
			return err
		}
		n, err := lz4.UncompressBlock(data, make([]byte, size))
		if err == nil && n != size {
			err = errOther
		}
		return err
	case format.Zstd:
		if p.zstd == nil {
			p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(windowMax))
		}
		if err == nil {
			err = p.zstd.Reset(packed)
		}
		return exactly(size, p.zstd, err)
	case format.Gzip:
		r, err := gzip.NewReader(packed)
		return exactly(size, r, err)
	case format.Brotli:
		return exactly(size, brotli.NewReader(packed), nil)
	}
	return nil
}

var (
	errDamaged = errors.New("the file is damaged, write it again")
	errOther   = fmt.Errorf("it has not as many bytes, decompressed, as its header claims: %w", errDamaged)
)

// exactly returns an error if a reader has more or fewer bytes than the given number.
func exactly(size int, r io.Reader, err error) error {
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, int64(size)+1))
	if err == nil && n != int64(size) {
		return errOther
	}
	return err
}

func (p *pager) close() {
	if p.zstd != nil {
		p.zstd.Close()
	}
}
