package ofi

// slots is registered memory for packets that leave, and for pieces of transfers. Each slot has room for a packet.
type slots struct {
	room    int // of each
	regions []region
	spare   []uint32
}

const (
	slotsTogether = 32
	slotsMax      = 512
)

func (s *slots) at(n uint32) ([]byte, region) {
	r := s.regions[n/slotsTogether]
	from := int(n%slotsTogether) * s.room
	return r.mem[from : from+s.room : from+s.room], r
}

// acquire reports false when there is none now.
func (s *slots) acquire(w *Way) (n uint32, ok bool) {
	if len(s.spare) == 0 && !s.grow(w) {
		return 0, false
	}
	last := len(s.spare) - 1
	n = s.spare[last]
	s.spare = s.spare[:last]
	return n, true
}

func (s *slots) release(n uint32) { s.spare = append(s.spare, n) }

func (s *slots) grow(w *Way) bool {
	first := len(s.regions) * slotsTogether
	if first >= slotsMax {
		return false
	}
	r, err := w.pinned.more(slotsTogether * s.room)
	if err != nil {
		w.complain()
		return false
	}
	s.regions = append(s.regions, r)
	for n := first + slotsTogether - 1; n >= first; n-- {
		s.spare = append(s.spare, uint32(n))
	}
	return true
}

// complain says once that there was no memory to pin.
func (w *Way) complain() {
	if w.line == nil { // the job does not begin, and its error says why
		return
	}
	if w.counts.Refused++; w.counts.Refused == 1 {
		w.config.Log.Warn("memory could not be registered with the fabric: the rest goes over TCP",
			"error", w.pinned.refused)
	}
}

// slabs are posted ahead for packets to be received into. Their room is always more than what all other processes may
// send before they hear of more: so no packet finds none.
type slabs struct {
	packet int // the largest
	count  int
}

const (
	slabBytes   = 512 << 10
	windowFirst = 64 << 10 // bytes that each process may send at first
	windowMax   = 1 << 20
)

// needed is how many slabs it takes for so many bytes: one may be full of what is being taken out, and one too full for
// the next packet; each is left with less than a packet to spare.
func (s *slabs) needed(bytes uint64) int {
	room := uint64(slabBytes - s.packet)
	return 2 + int((bytes+room-1)/room)
}

// grow posts slabs for that many bytes, if necessary.
func (s *slabs) grow(w *Way, bytes uint64) error {
	for n := s.needed(bytes); s.count < n; s.count++ {
		r, err := w.pinned.more(slabBytes)
		if err != nil {
			return err
		}
		tag, _ := w.calls.add(call{kind: postSlab, slab: r}) // slabs come before most else
		w.submit(tag)
	}
	return nil
}
