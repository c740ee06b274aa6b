package contagion

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// visit is the pebble from a person to a location: 36 bytes, as in the paper.
type visit struct {
	Location, Person, Place uint32
	Arrive, Depart          int32   // seconds since midnight
	Day, Number             uint32  // Number counts the person's visits on the day
	State                   uint32  // of the disease
	Modifier                float32 // of the susceptibility
}

const visitBytes = int(unsafe.Sizeof(visit{}))

func (v *visit) fingerprint() uint64 {
	return apps.Fold(uint64(v.Location)<<32|uint64(v.Person),
		uint64(v.Number)<<48^uint64(v.Day)<<40^uint64(v.State)<<24^
			uint64(v.Place)<<20^uint64(uint32(v.Arrive))<<18^uint64(uint32(v.Depart)))
}

func locationsOf(vs []visit, keys []uint64) {
	for i := range vs {
		keys[i] = uint64(vs[i].Location)
	}
}

// exposure is the pebble from a location to a susceptible person with a contact to an infectious one there. Exposures
// of one person on one day merge: they add up, and the one with the shortest race is the source of an infection, if
// there is one.
type exposure struct {
	Propensity uint64  // in units of 1/one
	Race       float64 // a waiting time
	Person     uint32
	Count      uint32 // number of merged exposures
	By         uint32 // the infectious person
	Location   uint32
	Start      int32 // of the meeting, in seconds since midnight
	Day        uint32
}

// one is a propensity of 1 as a whole number. Sums of whole numbers are the same in any order.
const one = 1 << 48

// most is the limit of the propensity of one exposure, which always infects.
const most = 64

// whole returns a propensity as a whole number.
func whole(propensity float64) uint64 { return uint64(min(propensity, most) * one) }

// add adds up propensities. On overflow the sum is the largest value of 64 bits, in any order.
func add(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}

// merge merges two exposures of a person.
func merge(a, b exposure) exposure {
	if cmp.Or(cmp.Compare(b.Race, a.Race), cmp.Compare(b.By, a.By), cmp.Compare(b.Location, a.Location),
		cmp.Compare(b.Start, a.Start)) < 0 {
		a.Race, a.By, a.Location, a.Start = b.Race, b.By, b.Location, b.Start
	}
	a.Propensity = add(a.Propensity, b.Propensity)
	a.Count += b.Count
	return a
}

func (x *exposure) fingerprint() uint64 {
	return apps.Fold(uint64(x.Person)<<32|uint64(x.By),
		x.Propensity^uint64(x.Location)<<20^uint64(uint32(x.Start))^uint64(x.Day)<<56^
			uint64(x.Count)<<50)
}

func personsOf(xs []exposure, keys []uint64) {
	for i := range xs {
		keys[i] = uint64(xs[i].Person)
	}
}

// Infection is an infection of a person. By, Location and Start are below 0 for the outbreak itself.
type Infection struct {
	Day      int32 `json:"day"`
	Person   int64 `json:"person"`   // id in the population's file
	By       int64 `json:"by"`       // the infectious person
	Location int64 `json:"location"` // of the meeting
	Start    int32 `json:"start"`    // of the meeting, in seconds since midnight
}

func (i Infection) fingerprint() uint64 {
	return apps.Fold(uint64(i.Person)<<20^uint64(i.Day),
		uint64(i.By)<<32^uint64(i.Location)<<20^uint64(uint32(i.Start)))
}

// store keeps the visits of a day in blocks, so that it grows without moving them. The next day reuses its memory.
type store struct {
	blocks [][]visit
	n      int
}

const (
	blockBits = 16
	blockSize = 1 << blockBits // visits: 2.25 MiB
	blockMask = blockSize - 1
)

// room returns the free part of the current block, which is not empty. Visits copied there are in the store once n
// counts them.
func (s *store) room() []visit {
	block, at := s.n>>blockBits, s.n&blockMask
	if block == len(s.blocks) {
		s.blocks = append(s.blocks, pebble.HugePages[visit](blockSize))
	}
	return s.blocks[block][at:]
}

// at returns the visit with a number.
func (s *store) at(i int) *visit { return &s.blocks[i>>blockBits][i&blockMask] }

// clear removes all visits.
func (s *store) clear() { s.n = 0 }

// bundle is the message of manual buffering: visits of one rank's people to one rank's locations.
type bundle struct {
	To     uint32
	Visits []visit
}

// byHand makes a buffer of a fixed size for each rank. A full buffer goes directly to its rank in a separate message.
// The memory of all buffers of a job grows with the square of its ranks (TRAM, section VI B).
func (b *bench) byHand() {
	p := b.part
	t := target.New(b.rank, "visits", distribution.Ranks(b.rank.Size()),
		target.Key(func(x bundle) uint64 { return uint64(x.To) }),
		target.Each(func(x bundle) {
			p.tally.Handled++ // and its visits are counted by take
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

// bundleCodec encodes a bundle: 4 bytes, and the memory of the visits.
type bundleCodec struct{}

const bundleHead = 4

// bytesOf returns the memory of visits.
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
