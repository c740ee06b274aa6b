package container

// sketch finds the keys that come most often among many, by few counts (Misra and Gries, Finding repeated elements,
// 1982): it has each key that is more than one in sketchKeys of those that it looks at. These are ever fewer, so that
// it costs little however many there are: a count stands for step keys.
type sketch[K comparable] struct {
	counts map[K]*uint32 // an assignment to an element of a Go map keeps the key that it was given, which may be borrowed
	own    func(k K) K   // makes a borrowed key its own; nil where none is borrowed
	step   int           // one key in about so many is looked at
	looked int           // keys that were, since the step changed, and half of those before
	skip   int           // keys until the next one
	random uint64        // keys may come in a rhythm, which steps of one length would fall into
}

const (
	sketchKeys = 1024
	stepLeast  = 8
)

func newSketch[K comparable](own func(k K) K) sketch[K] {
	return sketch[K]{counts: make(map[K]*uint32), own: own, step: stepLeast}
}

func note[K comparable](s *sketch[K], ks []K) {
	for s.skip < len(ks) {
		noteOne(s, ks[s.skip])
		s.random = s.random*6364136223846793005 + 1442695040888963407 // Knuth's, of MMIX
		s.skip += 1 + int((s.random>>32)%uint64(2*s.step-1))
	}
	s.skip -= len(ks)
}

func noteOne[K comparable](s *sketch[K], k K) {
	if s.looked++; s.looked == 4*sketchKeys {
		lower(s, func(n uint32) uint32 { return n / 2 })
		s.step, s.looked = 2*s.step, s.looked/2
	}
	if n := s.counts[k]; n != nil {
		*n++
		return
	}
	if len(s.counts) == sketchKeys {
		lower(s, func(n uint32) uint32 { return n - 1 })
		return
	}
	if s.own != nil {
		k = s.own(k)
	}
	s.counts[k] = new(uint32(1))
}

// lower makes all counts less, and forgets keys without one.
func lower[K comparable](s *sketch[K], to func(n uint32) uint32) {
	for k, n := range s.counts {
		if *n = to(*n); *n == 0 {
			delete(s.counts, k)
		}
	}
}
