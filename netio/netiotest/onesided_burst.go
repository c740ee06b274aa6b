package netiotest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/activepebbles/pebbles/netio"
)

// burstPart is the part of each rank's memory that a rank reads and writes. It reads one half and writes the other, in
// turns, each word once.
const burstPart = 16 << 10

// oneSidedBursts makes each rank begin many accesses to single words before it waits, whatever way they travel. Some
// are bad, and only these fail.
func oneSidedBursts(w *world) {
	const rounds, most = 6, 2000
	all := w.expose(burstPart * len(w.ports))
	w.each(func(rank int, p netio.Port) error {
		b := burst{rank: rank, memory: p.OneSided(), random: rand.New(rand.NewPCG(w.seed, uint64(rank)))}
		for _, e := range all {
			own := e.Plus(burstPart * rank)
			twin := make([]byte, burstPart)
			for at := 0; at < len(twin); at += 8 {
				binary.NativeEndian.PutUint64(twin[at:], b.random.Uint64())
			}
			b.memory.Put(own, twin, &b.fence)
			b.owners = append(b.owners, burstOwner{own, e.Plus(burstPart*len(all) - 7), twin})
		}
		gone, _, err := b.memory.Expose(8)
		if err != nil {
			return err
		}
		b.gone = gone
		must(errors.Join(b.memory.Withdraw(gone), settle(p, &b.fence)))
		for round := range rounds {
			b.read = round % 2 * burstPart / 2
			begun := b.begin(1 + b.random.IntN(most>>(2*(round%3)))) // from a few to more than a request holds
			b.memory.Fence(&b.fence)
			must(settle(p, &b.fence))
			for _, one := range begun {
				if err := one.check(); err != nil {
					return fmt.Errorf("rank %d, round %d of %d accesses: %w", rank, round, len(begun), err)
				}
			}
		}
		return nil
	})
}

// burst begins one rank's accesses.
type burst struct {
	rank   int
	memory netio.OneSided
	random *rand.Rand
	owners []burstOwner
	gone   netio.Address // withdrawn
	fence  netio.Completion
	read   int // begin of the half that is read
}

type burstOwner struct {
	own    netio.Address // this rank's part
	beyond netio.Address // a word there ends beyond the exposed memory
	twin   []byte        // of this rank's part
}

// begin begins n accesses. Many are similar to their predecessors.
func (b *burst) begin(n int) (all []*begun) {
	unwritten := make([][]int, len(b.owners)) // words, by owner
	for o := range unwritten {
		unwritten[o] = b.random.Perm(burstPart / 16)
	}
	owner, put := 0, false
	for range n {
		if b.random.IntN(50) == 0 {
			owner, put = b.random.IntN(len(b.owners)), b.random.IntN(2) == 0
		}
		one := &begun{what: "Get", want: make([]byte, 8), got: make([]byte, 8)}
		all = append(all, one)
		o := &b.owners[owner]
		switch words := unwritten[owner]; {
		case b.random.IntN(200) == 0:
			one.at, one.bad = o.beyond, true
		case b.random.IntN(200) == 0:
			one.at, one.bad = b.gone, true
		case put && len(words) > 0:
			at := burstPart/2 - b.read + 8*words[0]
			unwritten[owner] = words[1:]
			one.what, one.at = "Put", o.own.Plus(at)
			binary.NativeEndian.PutUint64(one.got, b.random.Uint64())
			copy(one.want, one.got)
			copy(o.twin[at:], one.got)
		case b.random.IntN(40) == 0: // across words
			at := b.read + b.random.IntN(burstPart/2-8)
			one.at = o.own.Plus(at)
			copy(one.want, o.twin[at:])
		default:
			at := b.read + 8*b.random.IntN(burstPart/16)
			one.at = o.own.Plus(at)
			copy(one.want, o.twin[at:])
		}
		if one.bad && put {
			one.what = "Put"
		}
		if one.what == "Put" {
			b.memory.Put(one.at, one.got, &one.c)
		} else {
			b.memory.Get(one.at, one.got, &one.c)
		}
		if b.random.IntN(100) == 0 {
			b.memory.Fence(&b.fence)
		}
	}
	return all
}

// begun is one access.
type begun struct {
	what      string
	at        netio.Address
	want, got []byte
	bad       bool
	c         netio.Completion
}

func (a *begun) check() error {
	if !a.c.Done() {
		return fmt.Errorf("%s of %v is not done, the fence after it is", a.what, a.at)
	}
	err := a.c.Err()
	if a.bad {
		var bad *netio.AddressError
		if !errors.As(err, &bad) || bad.Call != a.what || bad.Address != a.at {
			return fmt.Errorf("%s of %v, which is bad: %w", a.what, a.at, err)
		}
		return nil
	}
	if err == nil && !bytes.Equal(a.want, a.got) {
		err = fmt.Errorf("%x came, not %x", a.got, a.want)
	}
	if err != nil {
		return fmt.Errorf("%s of %v: %w", a.what, a.at, err)
	}
	return nil
}
