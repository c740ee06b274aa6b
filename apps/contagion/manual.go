package contagion

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// bundle is the message of manual buffering: visits of one rank's people to one rank's locations. What they share is in it once.
type bundle struct {
	To, Day uint32
	Visits  []visit
}

// byHand makes a buffer of a fixed size for each rank, which leaves when it is full, straight to its rank and in a message of its own: the
// memory of all buffers of a job grows with the square of its ranks (TRAM, section VI B).
func (b *bench) byHand() {
	p := b.part
	t := target.New(b.rank, "visits", distribution.Ranks(b.rank.Size()), target.Key(func(x bundle) uint64 { return uint64(x.To) }),
		target.Each(func(x bundle) {
			p.tally.Handled++ // and of its visits, which take counts
			p.tally.Handled -= uint64(len(x.Visits))
			p.take(x.Visits)
		}),
		target.Coded[bundle](bundleCodec{}), target.Coalesce(1), target.Route(route.Direct))
	buffers := make([][]visit, b.rank.Size())
	for i := range buffers {
		buffers[i] = make([]visit, 0, b.config.Bundle)
	}
	b.bundles = int64(len(buffers)) * int64(b.config.Bundle) * int64(unsafe.Sizeof(visit{}))
	leave := func(to int) {
		p.tally.Sent++
		t.Send(bundle{uint32(to), buffers[to][0].Day, buffers[to]})
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

// bundleCodec carries a bundle: 8 bytes, and 32 for each visit.
type bundleCodec struct{}

const (
	bundleHead  = 8
	bundleVisit = 32
)

// Append implements target.Codec.
func (bundleCodec) Append(dst []byte, x bundle) ([]byte, error) {
	words := func(of ...uint32) {
		for _, w := range of {
			dst = binary.LittleEndian.AppendUint32(dst, w)
		}
	}
	words(x.To, x.Day)
	for _, v := range x.Visits {
		words(v.Location, v.Person, v.Place, uint32(v.Arrive), uint32(v.Depart), v.Number, v.State, math.Float32bits(v.Modifier))
	}
	return dst, nil
}

// Decode implements target.Codec.
func (bundleCodec) Decode(src []byte) (x bundle, err error) {
	if len(src) < bundleHead || (len(src)-bundleHead)%bundleVisit != 0 {
		return x, errors.New("contagion: no whole number of visits")
	}
	word := func() uint32 {
		w := binary.LittleEndian.Uint32(src)
		src = src[4:]
		return w
	}
	x.To, x.Day = word(), word()
	x.Visits = make([]visit, len(src)/bundleVisit)
	for i := range x.Visits {
		x.Visits[i] = visit{
			Location: word(), Person: word(), Place: word(), Arrive: int32(word()), Depart: int32(word()), Number: word(), State: word(),
			Modifier: math.Float32frombits(word()), Day: x.Day,
		}
	}
	return x, nil
}
