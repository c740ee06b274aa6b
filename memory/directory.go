package memory

import (
	"sync"

	"github.com/activepebbles/pebbles/memory/internal/addresses"
	"github.com/activepebbles/pebbles/netio"
)

// directory has the allocations of a process, and addresses of other processes' allocations, for all ranks of the
// process. Each rank counts the indices of its own partition, and all ranks count those of the common one alike, so
// each partition has one writer.
type directory struct {
	place   netio.Place
	process []uint32 // by rank
	spaces  []*Space // by rank of this process; each is for its rank

	remote *addresses.Cache[entry]  // the address cache, by key of place; nil for none
	pinned *addresses.Cache[object] // the pinned address table: objects that were asked for, by handle

	mu      sync.Mutex
	objects map[handle]*object // all that this process has exposed
}

// entry is an exposed piece of memory of one process.
type entry struct {
	base    netio.Address
	near    []byte // all of it, if it is mapped here
	first   int    // first rank that has a part
	offsets []int  // of the parts
	kind    uint64 // of the elements
	bytes   uint64
}

// object is a piece that this process has exposed under one handle.
type object struct {
	entry
	users int          // ranks of this process that have not freed it; guarded by directory.mu
	given map[int]bool // processes that have its address; for the owner's rank alone
	open  int          // number of these that have not dropped it
}

// part returns the offset of the part of a rank, and its bytes.
func (e *entry) part(rank int) (from int, room uint64) {
	i := rank - e.first
	if i+1 < len(e.offsets) {
		return e.offsets[i], uint64(e.offsets[i+1] - e.offsets[i])
	}
	return e.offsets[i], e.bytes
}

// allows returns the reason to refuse an access to a part, or none.
func (e *entry) allows(kind, offset, bytes, room uint64) refusal {
	switch {
	case kind != e.kind:
		return otherKind
	case offset > room || bytes > room-offset:
		return outOfRange
	}
	return none
}

func newDirectory(place netio.Place, cached int) *directory {
	d := &directory{place: place, objects: map[handle]*object{}, spaces: make([]*Space, place.Last-place.First),
		pinned: addresses.NewCache[object](addresses.Max)}
	for rank := range place.Ranks {
		d.process = append(d.process, uint32(place.ProcessOf(rank)))
	}
	if cached > 0 {
		d.remote = addresses.NewCache[entry](cached)
	}
	return d
}

// find finds an object that this process has exposed: in the pinned table, or else among all, which is slower.
func (d *directory) find(h handle) *object {
	if o := d.pinned.Get(uint64(h)); o != nil {
		return o
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.objects[h]
	if o != nil {
		d.pinned.Add(uint64(h), o)
	}
	return o
}

// join adds a rank of this process to a common allocation. The first rank exposes the parts of all.
func (d *directory) join(
	h handle, first int, offsets []int, expose func(bytes int) (netio.Address, []byte, error),
) (*object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.objects[h]; o != nil {
		return o, nil
	}
	o := &object{entry: entry{first: first, offsets: offsets}, users: len(d.spaces)}
	if bytes := offsets[len(offsets)-1]; bytes > 0 {
		var err error
		if o.base, o.near, err = expose(bytes); err != nil {
			return nil, err
		}
		o.bytes = uint64(bytes)
	}
	d.objects[h] = o
	return o, nil
}

// leave frees a common allocation for a rank of this process. The last rank withdraws the memory, and drops all
// addresses of it.
func (d *directory) leave(h handle, withdraw func(netio.Address) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.objects[h]
	if o.users--; o.users > 0 {
		return nil
	}
	d.forget(h)
	if d.remote != nil {
		all := d.place.Ranks
		d.remote.Drop(func(key uint64) bool {
			return handle(key).partition() > all && handle(key).index() == h.index()
		})
	}
	if o.bytes == 0 {
		return nil
	}
	return withdraw(o.base)
}

// add adds an object that a rank has allocated alone.
func (d *directory) add(h handle, o *object) {
	d.mu.Lock()
	d.objects[h] = o
	d.mu.Unlock()
}

// drop removes an object: no rank can find it any more.
func (d *directory) drop(h handle) {
	d.mu.Lock()
	d.forget(h)
	d.mu.Unlock()
}

func (d *directory) forget(h handle) {
	delete(d.objects, h)
	d.pinned.Drop(func(key uint64) bool { return key == uint64(h) })
}

// key returns the cache's key of an address.
func (d *directory) key(h handle, rank int) uint64 {
	if h.partition() < d.place.Ranks {
		return uint64(h)
	}
	return uint64(newHandle(d.place.Ranks+1+int(d.process[rank]), h.index()))
}

// firstOf returns the first rank of a process.
func (d *directory) firstOf(process int) int {
	first, _ := d.place.Span(process)
	return first
}

// known finds an address in the cache.
func (d *directory) known(key uint64) *entry {
	if d.remote == nil {
		return nil
	}
	return d.remote.Get(key)
}

// far returns the start of the part of a rank of another process, if the address cache has it and it is not mapped
// here.
func (d *directory) far(h handle, rank int) (first netio.Address, ok bool) {
	e := d.known(d.key(h, rank))
	if e == nil || e.near != nil {
		return netio.Address{}, false
	}
	return e.base.Plus(e.offsets[rank-e.first]), true
}
