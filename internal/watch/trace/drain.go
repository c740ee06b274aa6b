package trace

// take encodes all events of the ranks.
func (f *File) take() {
	if now := f.now(); now.Sub(f.turned) >= window {
		f.turned = now
		f.windows.n.Add(1)
	}
	f.ready()
	for i := range f.ranks {
		rank := f.config.First + i
		f.ranks[i].drain(func(e *event) { f.event(rank, e) })
	}
}

// event encodes an event, or counts it as left out.
func (f *File) event(rank int, e *event) {
	kind, begin := e.kind.known(), f.wall(e.begin)
	end := max(f.wall(e.end), begin)
	number, ok := f.Rank(rank).tracks.find(kind.row(), begin)
	switch {
	case !f.roomForEvent(kind.Frequent()):
		f.left.file++
		return
	case !ok:
		f.left.lanes++
		return
	}
	f.ready() // a flush may have just failed
	f.describe(rank, kind.row(), number)
	f.Rank(rank).tracks[kind.row()][number].end = end
	f.last = max(f.last, end)
	track := rankTrack(rank, kind.row(), number)
	f.appendEvent(e, kind, begin, track)
	if !e.instant {
		f.appendEnd(end, track)
	}
	f.pending++
	if len(f.buf) >= chunk {
		f.flush()
	}
}

// appendEvent appends an instant, or the begin of a slice.
func (f *File) appendEvent(e *event, kind Kind, begin int64, track uint64) {
	id, fresh := f.intern(e.name, kind)
	at := f.packet()
	f.buf = appendUint(f.buf, packetTime, uint64(begin))
	if fresh != "" {
		b, interned := open(f.buf, packetInterned)
		f.buf = shut(appendEntry(b, internedNames, id, fresh), interned)
	}
	b, event := open(f.buf, packetEvent)
	what := uint64(typeBegin)
	if e.instant {
		what = typeInstant
	}
	b = appendUint(b, eventType, what)
	b = appendUint(b, eventTrack, track)
	b = appendUint(b, eventCategoryID, categoryID(kind))
	b = appendUint(b, eventNameID, id)
	b = appendNumber(b, words[kind].a, idOfA(kind), e.a)
	b = appendNumber(b, words[kind].b, idOfB(kind), e.b)
	if e.weight > 1 {
		b = appendNumber(b, "weight", weightID, uint64(e.weight))
	}
	f.buf = shut(b, event)
	f.shut(at)
}

// appendNumber appends an annotation with an interned name, unless it has no name or number.
func appendNumber(b []byte, name string, id, number uint64) []byte {
	if name == "" || number == None {
		return b
	}
	b, at := open(b, eventAnnotations)
	return shut(appendUint(appendUint(b, annotationNameID, id), annotationUint, number), at)
}

// appendEnd appends the end of the slice on a track.
func (f *File) appendEnd(end int64, track uint64) {
	at := f.packet()
	f.buf = appendUint(f.buf, packetTime, uint64(end))
	b, event := open(f.buf, packetEvent)
	b = appendUint(b, eventType, typeEnd)
	f.buf = shut(appendUint(b, eventTrack, track), event)
	f.shut(at)
}

// named is a name of events.
type named struct {
	id   uint64
	text string
	told uint32 // generation of the file in which it was last written
}

// intern returns the id of a name, and its text if the file does not have it yet. Names without a text are the words of
// kinds, with the ids below all others. Other names are numbered in order of appearance, so that runs are reproducible.
func (f *File) intern(name Name, kind Kind) (id uint64, fresh string) {
	n := f.names[name]
	if n == nil {
		n = &named{id: uint64(kinds) + uint64(len(f.names)) + 1}
		if f.config.Names != nil {
			n.text = clean(f.config.Names(uint32(name)))
		}
		f.names[name] = n
	}
	if n.text == "" {
		n = &f.bare[kind]
		n.id, n.text = uint64(kind)+1, kind.String()
	}
	if n.told == f.generation {
		return n.id, ""
	}
	n.told = f.generation
	return n.id, n.text
}

// tellLeft writes the number of missing events if it has changed and the file has room for it.
func (f *File) tellLeft(leave int64) {
	f.left.ring = 0
	for i := range f.ranks {
		f.left.ring += f.ranks[i].lost.Load()
	}
	if f.left == f.said || !f.roomFor(leave) {
		return
	}
	f.said = f.left
	at, event := f.instant(f.last, "events left out", categoryLeft)
	f.buf = appendNamed(f.buf, saidRing, f.left.ring, "")
	f.buf = appendNamed(f.buf, saidFile, f.left.file, "")
	f.buf = appendNamed(f.buf, saidDisk, f.left.disk, "")
	f.buf = appendNamed(f.buf, saidLanes, f.left.lanes, "")
	f.shut(event)
	f.shut(at)
}
