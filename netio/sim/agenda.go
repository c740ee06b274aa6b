package sim

// event happens at a moment, independent of ranks. Events of one moment happen in the order of their planning.
type event struct {
	at     instant
	number uint64
	do     func() // called without the world's lock
}

func (e event) before(o event) bool {
	return e.at < o.at || e.at == o.at && e.number < o.number
}

// agenda holds the planned events, and the source of sequence numbers.
type agenda struct {
	heap[event]
	numbers uint64
}

// plan schedules an event. The world is locked.
func (w *World) plan(at instant, do func()) {
	w.agenda.push(event{at, w.number(), do})
}

// number returns the next sequence number of planned events and parcels. The world is locked.
func (w *World) number() uint64 {
	w.agenda.numbers++
	return w.agenda.numbers
}
