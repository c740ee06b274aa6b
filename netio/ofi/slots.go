package ofi

// slots is registered memory for departing packets, and for pieces of transfers. Each slot has room for a packet.
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

// acquire returns a free slot. It reports false if none is free.
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

// complain logs once that no memory could be pinned.
func (w *Way) complain() {
	if w.line == nil { // the job does not begin; its error has the reason
		return
	}
	if w.counts.Refused++; w.counts.Refused == 1 {
		w.config.Log.Warn("memory could not be registered with the fabric: the rest goes over TCP",
			"error", w.pinned.refused)
	}
}

// slabs are posted in advance to receive packets. Their room always exceeds the total that all other processes may send
// before their next limit, so every packet finds a slab.
type slabs struct {
	packet int // largest packet
	count  int
}

const (
	slabBytes   = 512 << 10
	windowFirst = 64 << 10 // bytes that each process may send initially
	windowMax   = 1 << 20
)

// needed returns the number of slabs for the given bytes. One slab may be full of packets that are being taken out, and
// one too full for the next packet. Each leaves less than a packet unused.
func (s *slabs) needed(bytes uint64) int {
	room := uint64(slabBytes - s.packet)
	return 2 + int((bytes+room-1)/room)
}

// grow posts slabs for the given bytes, if necessary.
func (s *slabs) grow(w *Way, bytes uint64) error {
	for n := s.needed(bytes); s.count < n; s.count++ {
		r, err := w.pinned.more(slabBytes)
		if err != nil {
			return err
		}
		tag, _ := w.calls.add(call{kind: postSlab, slab: r}) // slabs precede most other calls
		w.submit(tag)
	}
	return nil
}
