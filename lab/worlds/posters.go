package worlds

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// poster is a rank that sends frames to others, and receives theirs.
type poster struct {
	*member
	number int
	port   netio.Port
	posts  []post // frames to send, in the order of their times
	over   atomic.Bool
	sent   map[flow]uint64 // numbers of frames to other ranks
	got    map[flow]uint64 // numbers of received frames
}

// flow is the frames of one kind to, or from, another rank. They arrive in the order of their sends.
type flow struct {
	rank int
	kind netio.Kind
}

// post is a frame that a rank sends some time after its process has started.
type post struct {
	at    time.Duration
	to    flow
	bytes int
}

// Most frames have at most smallMost bytes, and the others bytesMost.
const (
	smallMost = 300
	bytesMost = 100_000
)

func newPoster(p *member, rank int) *poster {
	return &poster{member: p, number: rank, sent: map[flow]uint64{}, got: map[flow]uint64{}}
}

// plan draws the frames that the rank sends to ranks of other processes.
func (r *poster) plan() {
	d := drawn{rand.New(rand.NewPCG(r.Seed, 1<<61|uint64(r.number)))}
	for range d.IntN(r.Posts + 1) {
		p := post{to: flow{d.IntN(r.Ranks), one(d, netio.Data, netio.Control)}, bytes: d.IntN(smallMost)}
		p.at = time.Duration(d.Int64N(int64(r.Within)*int64(time.Millisecond) + 1))
		if d.chance(3) {
			p.bytes = d.IntN(bytesMost)
		}
		if to := r.posters[p.to.rank].member; to != r.member {
			r.posts = append(r.posts, p)
			r.sent[p.to]++
			r.left.add(1)
			to.left.add(1)
		}
	}
	slices.SortStableFunc(r.posts, func(a, b post) int { return cmp.Compare(a.at, b.at) })
}

// run sends and receives until end is called.
func (r *poster) run() {
	began, next := time.Now(), map[flow]uint64{}
	for !r.over.Load() {
		for f := r.port.Recv(); f != nil; f = r.port.Recv() {
			r.take(f)
		}
		wait := time.Duration(-1)
		if len(r.posts) > 0 {
			wait = r.posts[0].at - time.Since(began)
		}
		if len(r.posts) == 0 || wait > 0 {
			r.port.Wait(wait)
			continue
		}
		r.send(r.posts[0], next)
		r.posts = r.posts[1:]
	}
}

// send sends a frame with its number in its flow.
func (r *poster) send(p post, next map[flow]uint64) {
	f := r.port.Pool().Get(p.bytes)
	f.Kind, f.From, f.To, f.Bytes, f.Seq = p.to.kind, uint32(r.number), uint32(p.to.rank), uint32(p.bytes), next[p.to]
	next[p.to]++
	clear(f.Payload())
	r.port.Send(f)
	r.left.add(-1)
}

// take takes a frame, which must be the next one of its flow.
func (r *poster) take(f *netio.Frame) {
	from := flow{int(f.From), f.Kind}
	if f.Seq != r.got[from] {
		r.network.mu.Lock()
		r.breach("rank %d gets frame %d of rank %d instead of frame %d", r.number, f.Seq, f.From, r.got[from])
		r.network.mu.Unlock()
	}
	r.got[from]++
	f.Release()
	r.left.add(-1)
}

// end makes run return.
func (r *poster) end() {
	r.over.Store(true)
	r.port.Wake()
}

// home checks that all frames have come back. It is called after the end of the transport.
func (r *poster) home() {
	if lent := r.port.Pool().Lent(); lent > 0 {
		r.network.mu.Lock()
		defer r.network.mu.Unlock()
		r.breach("%d bytes of frames have not come back to rank %d", lent, r.number)
	}
}

// left counts the sends and receives of frames that are still missing.
type left struct {
	frames atomic.Int64
	none   chan struct{} // closed when there are no more
}

// newLeft begins with a count of n for the start, which is taken off when all frames are planned.
func newLeft(n int) *left {
	l := &left{none: make(chan struct{})}
	l.frames.Store(int64(n))
	return l
}

func (l *left) add(n int64) {
	if l.frames.Add(n) == 0 {
		close(l.none)
	}
}
