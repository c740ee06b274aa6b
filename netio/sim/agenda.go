package sim

// event is something that happens at a moment, to no rank in particular. Events of one moment happen in the order in which
// they were planned.
type event struct {
	at     instant
	number uint64
	do     func() // called without the world's lock
}

func (e event) before(o event) bool {
	return e.at < o.at || e.at == o.at && e.number < o.number
}

// plan lets something happen. The world is locked.
func (w *World) plan(at instant, do func()) {
	w.agenda.push(event{at, w.number(), do})
}

// number gives out numbers that tell the order in which things were planned. The world is locked.
func (w *World) number() uint64 {
	w.numbers++
	return w.numbers
}
