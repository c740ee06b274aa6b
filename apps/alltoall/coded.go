package alltoall

import (
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/target"
)

// letter is an item of any size outside of its frame. Its bytes are there alone: the codec writes them into the frame,
// and compares them where they lie, so that nothing is allocated for an item.
type letter struct {
	To, From uint32
	Round    uint64
	damaged  bool // came with other bytes than it was sent with
}

// coded is plain for items of any size.
func (b *bench) coded() (send func()) {
	t := target.New(b.rank, "item", b.owner,
		target.Key(func(l letter) uint64 { return uint64(l.To) }),
		target.Batch(b.inbox.open),
		target.Coded(codec{b.inbox.pattern, b.config.Bytes}))
	return func() { stream(b, t.SendAll, write) }
}

// write makes the next letters of a rank's course.
func write(ls []letter, c *course) {
	for i := range ls {
		l := &ls[i]
		l.From = c.self
		l.To, l.Round = c.next()
	}
}

// open is the handler.
func (in *inbox) open(ls []letter) {
	in.handled += uint64(len(ls))
	for _, l := range ls {
		if l.damaged || !in.expects(l.To, l.From, l.Round) {
			in.refuse(l.To)
			continue
		}
		in.put(l.From, in.pattern.first(l.From, l.To, l.Round))
	}
}

// codec writes a letter as To, From and Round, and its bytes.
type codec struct {
	pattern pattern
	bytes   int // of an item
}

const letterHead = 16 // bytes before those of the item

// Append implements target.Codec.
func (c codec) Append(dst []byte, l letter) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint32(dst, l.To)
	dst = binary.LittleEndian.AppendUint32(dst, l.From)
	dst = binary.LittleEndian.AppendUint64(dst, l.Round)
	word, left := c.pattern.first(l.From, l.To, l.Round), c.bytes
	for ; left >= 8; left -= 8 {
		dst = binary.LittleEndian.AppendUint64(dst, word)
		word = next(word)
	}
	for ; left > 0; left-- {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst, nil
}

// Decode implements target.Codec.
func (c codec) Decode(src []byte) (letter, error) {
	if len(src) != letterHead+c.bytes {
		return letter{}, fmt.Errorf("an item of %d bytes came as %d", letterHead+c.bytes, len(src))
	}
	l := letter{
		To:    binary.LittleEndian.Uint32(src),
		From:  binary.LittleEndian.Uint32(src[4:]),
		Round: binary.LittleEndian.Uint64(src[8:]),
	}
	l.damaged = !c.pattern.wrote(src[letterHead:], c.pattern.first(l.From, l.To, l.Round))
	return l, nil
}

// Schema tells ranks apart that were given items of different sizes.
func (c codec) Schema() string {
	return fmt.Sprintf("%d bytes of head and %d of item", letterHead, c.bytes)
}

// wrote reports whether bytes are those of the item with this first word.
func (p pattern) wrote(bytes []byte, word uint64) bool {
	for ; len(bytes) >= 8; bytes = bytes[8:] {
		if binary.LittleEndian.Uint64(bytes) != word {
			return false
		}
		word = next(word)
	}
	for _, b := range bytes {
		if b != byte(word) {
			return false
		}
		word >>= 8
	}
	return true
}
