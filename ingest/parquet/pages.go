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
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// pageHeaderMax bounds the header of a page: it may have the least and the greatest value of the page.
const pageHeaderMax = 1 << 20

// windowMax is the most memory that zstd may ask for, as for whole files.
const windowMax = 128 << 20

// A pager looks at the pages of column chunks before the library reads them. The library allocates whatever a page
// says, decompresses as much as comes, and for some damaged pages never ends.
type pager struct {
	file   io.ReaderAt
	size   int64
	limit  int             // bytes of a page when it is decompressed
	wanted map[string]bool // columns, by their paths
	zstd   *zstd.Decoder
}

// group looks at the pages of those columns of a row group that are wanted.
func (p *pager) group(g format.RowGroup) error {
	for _, c := range g.Columns {
		if name := strings.Join(c.MetaData.PathInSchema, "."); p.wanted[name] {
			if err := p.check(&c.MetaData); err != nil {
				return fmt.Errorf("column %s: %w", name, err)
			}
		}
	}
	return nil
}

// check looks at all pages of a column chunk.
func (p *pager) check(c *format.ColumnMetaData) error {
	at := c.DataPageOffset
	if d := c.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	if at < 0 || c.TotalCompressedSize < 0 || c.TotalCompressedSize > p.size-at {
		return errors.New("a column claims more bytes than the file has: the file is damaged, write it again")
	}
	for end := at + c.TotalCompressedSize; at < end; {
		h, n, err := p.header(at)
		if err == nil {
			err = p.page(c.Codec, h, at+n)
		}
		if err != nil {
			return fmt.Errorf("the page at byte %d: %w", at, err)
		}
		at += n + int64(h.CompressedPageSize)
	}
	return nil
}

// header reads the header of a page, and tells how long it is.
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

// page looks at a page by its header.
func (p *pager) page(codec format.CompressionCodec, h *format.PageHeader, at int64) error {
	packed, size, levels := int64(h.CompressedPageSize), int64(h.UncompressedPageSize), int64(0)
	values := max(h.DataPageHeader.V.NumValues, h.DictionaryPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues)
	if v := &h.DataPageHeaderV2; v.Valid { // levels stand before what is compressed
		levels = int64(v.V.RepetitionLevelsByteLength) + int64(v.V.DefinitionLevelsByteLength)
		if v.V.IsCompressed.Valid && !v.V.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	switch {
	case packed < 0 || size < 0 || packed > p.size-at || levels < 0 || levels > min(packed, size):
		return errors.New("its header claims more bytes than there are: the file is damaged, write it again")
	case size > int64(p.limit) || int(values) > p.limit || packed > int64(p.limit)+int64(p.limit)/8+1<<10:
		return fmt.Errorf("it has %d bytes and %d values, more than the limit of %d: raise ingest.RowLimit", size,
			values, p.limit)
	}
	if h.Type == format.DictionaryPage && h.CRC != 0 { // the library checks the others
		sum := crc32.NewIEEE()
		if _, err := io.Copy(sum, io.NewSectionReader(p.file, at, packed)); err != nil {
			return err
		}
		if sum.Sum32() != uint32(h.CRC) {
			return errors.New("its checksum is wrong: the file is damaged, write it again")
		}
	}
	return p.unpacks(codec, io.NewSectionReader(p.file, at+levels, packed-levels), int(size-levels))
}

// unpacks returns an error when compressed bytes become more than so many. Only snappy tells that by its first bytes.
func (p *pager) unpacks(codec format.CompressionCodec, packed *io.SectionReader, size int) (err error) {
	if packed.Size() == 0 {
		return nil
	}
	switch codec {
	case format.Snappy:
		head := make([]byte, min(packed.Size(), binary.MaxVarintLen64))
		if _, err = io.ReadFull(packed, head); err != nil {
			return err
		}
		n, err := s2.DecodedLen(head)
		if err == nil && n > size {
			err = errMore
		}
		return err
	case format.Lz4Raw:
		data, err := io.ReadAll(packed)
		if err == nil {
			_, err = lz4.UncompressBlock(data, make([]byte, size))
		}
		return err
	case format.Zstd:
		if p.zstd == nil {
			p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(windowMax))
		}
		if err == nil {
			err = p.zstd.Reset(packed)
		}
		return upTo(size, p.zstd, err)
	case format.Gzip:
		r, err := gzip.NewReader(packed)
		return upTo(size, r, err)
	case format.Brotli:
		return upTo(size, brotli.NewReader(packed), nil)
	}
	return nil
}

var errMore = errors.New("it has more bytes than its header claims when it is decompressed: " +
	"the file is damaged; write it again")

// upTo returns an error when a reader that could be opened has more than so many bytes.
func upTo(size int, r io.Reader, err error) error {
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, int64(size)+1))
	if n > int64(size) {
		return errMore
	}
	return err
}

func (p *pager) close() {
	if p.zstd != nil {
		p.zstd.Close()
	}
}
