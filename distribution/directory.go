package distribution

import "fmt"

// Directory is what one rank knows about a dynamic distribution (section 3.2 of the
// paper): keys start at their owner under a static base map, their home, and may be
// moved from rank to rank while the job runs. Each rank has its own Directory, which
// implements Map for that rank alone: its answers are the best it knows.
//
// A move is Release at the old owner and Adopt at the new one, joined by a message
// with the version that Release returned; the key's data travels in it too. Between the
// two no rank owns the key. Whoever wants may spread the news by Learn; nothing depends
// on it. A pebble is sent to Owner, and a rank that gets one for a key it does not own
// sends it on to its own Owner.
//
// Versions count the moves of a key, so that messages may overtake each other: older
// news never replaces newer. Once every message is delivered, each rank that a pebble
// passes knows a newer version than the one before it. So the pebble meets no rank
// twice and reaches the owner in fewer than Ranks() hops. While a key is on its way
// a pebble may be sent in circles, but is never lost.
//
// It takes space for each key that left its home or was heard of, and for those in a row
// with it, O(1) at all others.
// A Directory belongs to its rank's goroutine.
type Directory struct {
	base  Map
	batch Batcher
	self  int
	moved map[uint64]uint32 // pages, by their keys / pageKeys; all other keys are at home, at version 0
	pages []page
	found struct { // the page that was looked for last: moves look some times, and often for keys in a row
		of     uint64
		number uint32
		ok     bool
	}
}

const pageKeys = 8

// page is what is known of some keys in a row.
type page struct {
	of   uint64 // the keys / pageKeys
	keys [pageKeys]whereabouts
}

// whereabouts is the newest that is known of a key. Only Adopt sets at to self: at ==
// self means that this rank owns the key.
type whereabouts struct {
	version uint64
	at      uint32
}

// NewDirectory is the directory of rank self in which every key of base is at home.
// It panics when base has no rank self.
func NewDirectory(base Map, self int) *Directory {
	if self < 0 || self >= base.Ranks() {
		panic(fmt.Sprintf("distribution: directory of rank %d of %d", self, base.Ranks()))
	}
	return &Directory{base: base, batch: BatcherOf(base), self: self, moved: map[uint64]uint32{}}
}

// Ranks implements Map.
func (d *Directory) Ranks() int { return d.base.Ranks() }

// Home is the owner of key under the base map, or a negative number when key is outside.
func (d *Directory) Home(key uint64) int { return d.base.Owner(key) }

// Owner implements Map. It is this rank exactly when Owns(key); else the rank that key
// was last known to be at or to be moving to, which is its home if nothing was heard.
// It is negative when key is outside the base map.
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

// Release gives key to rank to, and returns the version for the Adopt there. From now
// on this rank forwards. It panics when this rank does not own key, or to is this rank
// or no rank.
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

// Adopt makes this rank the owner of key; version is what Release returned. It panics
// when this rank knows of a version as new, for then the key was adopted twice.
func (d *Directory) Adopt(key uint64, version uint64) {
	w := d.whereabouts(key)
	if version <= w.version {
		panic(fmt.Sprintf("distribution: rank %d adopts key %d at version %d but knows version %d", d.self, key, version,
			w.version))
	}
	*w = whereabouts{version: version, at: uint32(d.self)}
}

// Learn takes news that the move with this version brought, or is bringing, key to rank
// at. News that is not newer than what is known changes nothing, nor does any while this
// rank owns key. Nor does news about this rank itself: the key is here when Adopt says
// so, and not while it is on its way.
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

// find is what is known of a key; nil, or version 0, when that is nothing.
func (d *Directory) find(key uint64) *whereabouts {
	f := &d.found
	if of := key / pageKeys; (f.of != of || !f.ok) && !d.findPage(of) {
		return nil
	}
	return &d.pages[f.number].keys[key%pageKeys]
}

// findPage looks for a page, first behind the one that was found last: keys in a row have often moved one by one.
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

// whereabouts is where those of a key are kept from now on. A call that adds a page ends what it returned before.
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
