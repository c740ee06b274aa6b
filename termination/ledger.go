package termination

// Ledger counts the frames of one rank in one epoch, by link and by phase. A frame carries the phase of its link at its
// creation; [Ledger.Close] ends a link's phase. So a receiver can distinguish the frames that a sender had created
// before its report from later ones.
//
// It costs a map lookup per frame, and memory for the links in use.
type Ledger struct {
	out map[int]*outgoing
	in  map[int]*incoming
	all []uint64 // processed from all ranks, by phase
}

type outgoing struct {
	phase   uint32
	created uint64 // in all phases
}

type incoming struct {
	processed []uint64 // by phase
}

// NewLedger makes an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{out: map[int]*outgoing{}, in: map[int]*incoming{}}
}

// Clear begins a new epoch: every link is in phase 0 and has had no frame. It keeps its memory.
func (l *Ledger) Clear() {
	for _, o := range l.out {
		*o = outgoing{}
	}
	for _, i := range l.in {
		i.processed = i.processed[:0]
	}
	l.all = l.all[:0]
}

// Create counts a frame for a neighbour, and returns the phase that it must carry.
func (l *Ledger) Create(to int) (phase uint32) {
	o := l.link(to)
	o.created++
	return o.phase
}

// Process counts a processed frame from a neighbour, with the phase that it carried.
func (l *Ledger) Process(from int, phase uint32) {
	i := l.in[from]
	if i == nil {
		i = &incoming{}
		l.in[from] = i
	}
	i.processed = note(i.processed, phase)
	l.all = note(l.all, phase)
}

// Close ends the current phase of the link to a neighbour, and returns the number of its frames in this epoch, in this
// phase and all before.
func (l *Ledger) Close(to int) (created uint64) {
	o := l.link(to)
	o.phase++
	return o.created
}

// Created returns the result of Close without ending the phase.
func (l *Ledger) Created(to int) uint64 { return l.link(to).created }

// Processed returns the number of processed frames from a neighbour, of this phase and all before.
func (l *Ledger) Processed(from int, phase uint32) uint64 {
	i := l.in[from]
	if i == nil {
		return 0
	}
	return upTo(i.processed, phase)
}

// ProcessedAll returns the number of processed frames from all ranks, of this phase and all before.
func (l *Ledger) ProcessedAll(phase uint32) uint64 { return upTo(l.all, phase) }

func (l *Ledger) link(to int) *outgoing {
	o := l.out[to]
	if o == nil {
		o = &outgoing{}
		l.out[to] = o
	}
	return o
}

func note(byPhase []uint64, phase uint32) []uint64 {
	for int(phase) >= len(byPhase) {
		byPhase = append(byPhase, 0)
	}
	byPhase[phase]++
	return byPhase
}

func upTo(byPhase []uint64, phase uint32) (sum uint64) {
	for p := 0; p < len(byPhase) && p <= int(phase); p++ {
		sum += byPhase[p]
	}
	return sum
}
