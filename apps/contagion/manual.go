package contagion

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// bundle is the message of manual buffering: visits of one rank's people to one rank's locations.
type bundle struct {
	To     uint32
	Visits []visit
}

// byHand makes a buffer of a fixed size for each rank, which leaves when it is full, straight to its rank and in a
// message of its own: the memory of all buffers of a job grows with the square of its ranks (TRAM, section VI B).
func (b *bench) byHand() {
	p := b.part
	t := target.New(b.rank, "visits", distribution.Ranks(b.rank.Size()),
		target.Key(func(x bundle) uint64 { return uint64(x.To) }),
		target.Each(func(x bundle) {
			p.tally.Handled++ // and of its visits, which take counts
			p.tally.Handled -= uint64(len(x.Visits))
			b.take(x.Visits)
		}),
		target.Coded[bundle](bundleCodec{}), target.Coalesce(1), target.Route(route.Direct))
	buffers := make([][]visit, b.rank.Size())
	for i := range buffers {
		buffers[i] = make([]visit, 0, b.config.Bundle)
	}
	b.bundles = int64(len(buffers)) * int64(b.config.Bundle*visitBytes)
	leave := func(to int) {
		p.tally.Sent++
		t.Send(bundle{uint32(to), buffers[to]})
		t.Flush()
		buffers[to] = buffers[to][:0]
	}
	b.send = func(vs []visit) {
		for i := range vs {
			p.tally.Sum += vs[i].fingerprint()
			to := p.locations.Owner(uint64(vs[i].Location))
			if buffers[to] = append(buffers[to], vs[i]); len(buffers[to]) == b.config.Bundle {
				leave(to)
			}
		}
	}
	b.flush = func() {
		for to := range buffers {
			if len(buffers[to]) > 0 {
				leave(to)
			}
		}
	}
}

// bundleCodec carries a bundle: 4 bytes, and the visits as they lie in memory.
type bundleCodec struct{}

const bundleHead = 4

// bytesOf is the memory of visits.
func bytesOf(vs []visit) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vs))), len(vs)*visitBytes)
}

// Append implements target.Codec.
func (bundleCodec) Append(dst []byte, x bundle) ([]byte, error) {
	return append(binary.LittleEndian.AppendUint32(dst, x.To), bytesOf(x.Visits)...), nil
}

// Decode implements target.Codec.
func (bundleCodec) Decode(src []byte) (x bundle, err error) {
	if len(src) < bundleHead || (len(src)-bundleHead)%visitBytes != 0 {
		return x, errors.New("contagion: no whole number of visits")
	}
	x.To = binary.LittleEndian.Uint32(src)
	x.Visits = make([]visit, (len(src)-bundleHead)/visitBytes)
	copy(bytesOf(x.Visits), src[bundleHead:])
	return x, nil
}
