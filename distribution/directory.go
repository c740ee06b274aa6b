package distribution

import "fmt"

// Directory is one rank's view of a dynamic distribution (section 3.2 of the paper): keys start at their owner under a
// static base map, their home, and may move from rank to rank while the job runs. Each rank has its own Directory,
// which implements Map for that rank alone, with the best answers that it has.
//
// A move is Release at the old owner and Adopt at the new one, joined by a message with the version that Release
// returned; the key's data travels in it too. Between the two no rank owns the key. Any rank may spread the news by
// Learn; nothing depends on it. A pebble is sent to Owner. A rank that receives one for a key that it does not own
// sends it on to its own Owner.
//
// Versions count the moves of a key, so that messages may overtake each other: older news never replaces newer. Once
// every message is delivered, each rank that a pebble passes has a newer version than the one before it. So the pebble
// meets no rank twice and reaches the owner in fewer than Ranks() hops. While a key is in flight a pebble may go in
// circles, but is never lost.
//
// It takes space for each key that left its home or was the subject of news, and for keys next to it, and O(1) for all
// others. A Directory belongs to its rank's goroutine.
type Directory struct {
	base  Map
	batch Batcher
	self  int
	moved map[uint64]uint32 // pages, by their keys / pageKeys; all other keys are at home, at version 0
	pages []page
	found struct { // the last page found: moves search several times, and often for consecutive keys
		of     uint64
		number uint32
		ok     bool
	}
}

const pageKeys = 8

// page has the state of some consecutive keys.
type page struct {
	of   uint64 // its keys / pageKeys
	keys [pageKeys]whereabouts
}

// whereabouts is the newest state of a key. Only Adopt sets at to self: at == self means that this rank owns the key.
type whereabouts struct {
	version uint64
	at      uint32
}

// NewDirectory makes the directory of rank self with every key of base at home. It panics if base has no rank self.
func NewDirectory(base Map, self int) *Directory {
	if self < 0 || self >= base.Ranks() {
		panic(fmt.Sprintf("distribution: directory of rank %d of %d", self, base.Ranks()))
	}
	return &Directory{base: base, batch: BatcherOf(base), self: self, moved: map[uint64]uint32{}}
}

// Ranks implements Map.
func (d *Directory) Ranks() int { return d.base.Ranks() }

// Home returns the owner of key under the base map, or a negative number if key is outside.
func (d *Directory) Home(key uint64) int { return d.base.Owner(key) }

// Owner implements Map. It returns this rank exactly if Owns(key); otherwise the last known rank of the key, or the
// destination of its last known move, which is its home without news. It is negative if key is outside the base map.
func (d *Directory) Owner(key uint64) int {
	if w := d.find(key); w != nil && w.version > 0 {
		return int(w.at)
	}
	return d.base.Owner(key)
}

// Owners implements Batcher.
func (d *Directory) Owners(keys []uint64, owners []uint32) int {
	bad := d.batch.Owners(keys, owners)
	if len(d.moved) == 0 {
		return bad
	}
	if bad >= 0 {
		keys = keys[:bad]
	}
	for i, key := range keys {
		if w := d.find(key); w != nil && w.version > 0 {
			owners[i] = w.at
		}
	}
	return bad
}

// Owns reports whether key is here now.
func (d *Directory) Owns(key uint64) bool { return d.Owner(key) == d.self }

// Release gives key to rank to, and returns the version for the Adopt there. From now on this rank forwards. It panics
// if this rank does not own key, or to is this rank or no rank.
func (d *Directory) Release(key uint64, to int) (version uint64) {
	w := d.whereabouts(key)
	if int(w.at) != d.self {
		panic(fmt.Sprintf("distribution: rank %d releases key %d, which it does not own", d.self, key))
	}
	if to < 0 || to >= d.Ranks() || to == d.self {
		panic(fmt.Sprintf("distribution: rank %d of %d releases key %d to rank %d", d.self, d.Ranks(), key, to))
	}
	*w = whereabouts{version: w.version + 1, at: uint32(to)}
	return w.version
}

// Adopt makes this rank the owner of key; version is the result of Release. It panics if this rank has a version that
// is not older: the key was adopted twice.
func (d *Directory) Adopt(key uint64, version uint64) {
	w := d.whereabouts(key)
	if version <= w.version {
		panic(fmt.Sprintf("distribution: rank %d adopts key %d at version %d but knows version %d", d.self, key, version,
			w.version))
	}
	*w = whereabouts{version: version, at: uint32(d.self)}
}

// Learn takes news that the move with this version brought, or is bringing, key to rank at. News that is not newer than
// the known state changes nothing, nor does any while this rank owns key. News about this rank itself is ignored: the
// key is here after Adopt, and not while it is in flight.
func (d *Directory) Learn(key uint64, at int, version uint64) {
	if at == d.self {
		return
	}
	w := d.whereabouts(key)
	if version <= w.version || int(w.at) == d.self {
		return
	}
	if at < 0 || at >= d.Ranks() {
		panic(fmt.Sprintf("distribution: rank %d learns that key %d is at rank %d of %d", d.self, key, at, d.Ranks()))
	}
	*w = whereabouts{version: version, at: uint32(at)}
}

// find returns the state of a key; nil, or version 0, if none is known.
func (d *Directory) find(key uint64) *whereabouts {
	f := &d.found
	if of := key / pageKeys; (f.of != of || !f.ok) && !d.findPage(of) {
		return nil
	}
	return &d.pages[f.number].keys[key%pageKeys]
}

// findPage finds a page. It first tries the page after the last one found: consecutive keys have often moved one by
// one.
func (d *Directory) findPage(of uint64) bool {
	f := &d.found
	if next := uint64(f.number) + 1; f.ok && next < uint64(len(d.pages)) && d.pages[next].of == of {
		f.number++
	} else {
		f.number, f.ok = d.moved[of]
	}
	f.of = of
	return f.ok
}

// whereabouts returns the stored state of a key, and adds it if needed. A call that adds a page invalidates earlier
// results.
func (d *Directory) whereabouts(key uint64) *whereabouts {
	w := d.find(key)
	if w == nil {
		f := &d.found
		f.number, f.ok = uint32(len(d.pages)), true
		d.moved[f.of] = f.number
		d.pages = append(d.pages, page{of: f.of})
		w = &d.pages[f.number].keys[key%pageKeys]
	}
	if w.version == 0 {
		w.at = uint32(d.base.Owner(key))
	}
	return w
}

// Describe implements Describer.
func (d *Directory) Describe() string {
	if base, ok := d.base.(Describer); ok {
		return "directory(" + base.Describe() + ")"
	}
	return fmt.Sprintf("directory(ranks=%d)", d.Ranks())
}
