package alltoall

import "github.com/activepebbles/pebbles/target"

// item is an item of 8, 16, 32 or 64 bytes as it travels.
type item[B words] struct {
	To, From uint32
	Round    uint64
	Words    B // its bytes
}

type words interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [8]uint64
}

// plain registers a target for items of plain data, and returns a function that sends all of this rank's to it.
func plain[B words](b *bench) (send func()) {
	t := target.New(b.rank, "item", b.owner, target.Keys(itemKeys[B]), target.Batch(func(its []item[B]) { receive(b.inbox, its) }))
	bases := b.inbox.pattern.from(b.rank.ID(), b.rank.Size())
	return func() {
		stream(b, t.SendAll, func(its []item[B], c *course) { fill(its, bases, c) })
	}
}

func itemKeys[B words](its []item[B], keys []uint64) {
	keys = keys[:len(its)]
	for i := range its {
		keys[i] = uint64(its[i].To)
	}
}

// fill makes the next items of a rank's course.
func fill[B words](its []item[B], bases []uint64, c *course) {
	for i := range its {
		it := &its[i]
		it.From = c.self
		it.To, it.Round = c.next()
		word := first(bases[it.To], it.Round)
		for w := range len(it.Words) {
			it.Words[w] = word
			word = next(word)
		}
	}
}

// receive is the handler.
func receive[B words](in *inbox, its []item[B]) {
	in.handled += uint64(len(its))
	for i := range its {
		it := &its[i]
		if !in.expects(it.To, it.From, it.Round) {
			in.refuse(it.To)
			continue
		}
		first := first(in.senders[it.From].base, it.Round)
		word, wrong := first, uint64(0)
		for w := range len(it.Words) {
			wrong |= it.Words[w] ^ word
			word = next(word)
		}
		if wrong != 0 {
			in.refuse(it.To)
			continue
		}
		in.put(it.From, first)
	}
}
