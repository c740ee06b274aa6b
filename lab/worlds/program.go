package worlds

import (
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// program is the world's program on one rank.
type program struct {
	*World
	moving
	shared
	kept
	senders int    // number of main functions, which are spread over the ranks
	tasks   *tasks // nil without tasks
	rank    *pebble.Rank
	spare   []route.Mark
	owners  []distribution.Map // by target
	targets []*target.Target[message]
	tallies []tally     // by target and key
	batches [][]message // by target: pebbles that the main function has batched
}

func newProgram(w *World, r *pebble.Rank, spare []route.Mark) *program {
	p := &program{World: w, senders: w.Ranks, rank: r, spare: spare, tallies: make([]tally, w.Targets*w.Keys),
		batches: make([][]message, w.Targets)}
	static := maps[w.Map](uint64(w.Keys), r.Size())
	p.openDirectory(r, static)
	for i := range w.Targets {
		p.owners = append(p.owners, static)
		if w.travels(i) {
			p.owners[i] = p.directory
		}
		p.targets = append(p.targets, p.open(i, w.kind(i)))
	}
	p.openTasks(static)
	return p
}

// open registers a target.
func (p *program) open(number int, k kind) *target.Target[message] {
	var options []target.Option
	if p.Coded>>number&1 == 1 {
		options = append(options, target.Coded(codec{}))
	}
	switch k {
	case combineKind:
		options = append(options, target.Reduce(reduce.Combine(func(a, b message) message { a.ID += b.ID; return a })))
	case concatenateKind:
		options = append(options, target.Reduce(reduce.Concatenate(joined)))
	case duplicatesKind:
		options = append(options, target.Reduce(reduce.Duplicates[message]()))
	case firstKind:
		options = append(options, target.Reduce(reduce.First[message]()))
	case bestKind:
		options = append(options, target.Reduce(reduce.Best(func(a, b message) bool { return a.ID > b.ID })))
	}
	return target.New(p.rank, fmt.Sprint("target ", number), p.owners[number],
		target.Key(func(v message) uint64 { return uint64(v.Key) }),
		target.Each(func(v message) { p.handle(number, k, v) }), options...)
}

func (p *program) handle(number int, k kind, v message) {
	p.tallies[number*p.Keys+int(v.Key)].add(k, v)
	p.add(k, v)
	p.children(v, func(child addressed) { p.targets[child.target].Send(child.message) })
	p.move(v.Key, mix(v.ID, uint64(v.Key)))
	mark(p.rank, p.spare, p.Marks, v.ID)
}

// epoch runs one epoch, and compares its result with the twin's.
func (p *program) epoch(number int, want []tally) error {
	var options []pebble.EpochOption
	if p.declares() {
		options = append(options, pebble.Depth(p.Depth))
	}
	by := p.Detector
	if names := p.ends(); len(names) > 0 {
		by = names[number%len(names)]
		detector, err := termination.ByName(by)
		if err != nil {
			return err
		}
		options = append(options, pebble.EndBy(detector))
	}
	mark(p.rank, p.spare, 10*p.Marks, mix(uint64(p.rank.ID()), uint64(number)))
	if err := p.allocate(number); err != nil {
		return err
	}
	err := p.runEpoch(func() error {
		for i, a := range p.own(number) {
			p.send(a)
			p.move(uint32(mix(a.ID, 13)%uint64(p.Keys)), a.ID+uint64(i))
			if !p.inTask() {
				mark(p.rank, p.spare, 10*p.Marks, a.ID+uint64(i))
			}
			if mix(a.ID, uint64(i))%100 < uint64(p.Flush) {
				p.targets[a.target].Flush()
				if !p.inTask() {
					p.rank.Poll()
				}
			}
		}
		for i := range p.batches {
			p.empty(i)
		}
		return p.access(number)
	}, number, options)
	if err != nil {
		return err
	}
	if len(p.pending) > 0 {
		return fmt.Errorf("epoch %d has ended, and rank %d still has %d keys that are to move", number, p.rank.ID(),
			len(p.pending))
	}
	if got := p.rank.Termination(); by != "auto" && got != by {
		return fmt.Errorf("epoch %d was ended by %s, not by %s", number, got, by)
	}
	return p.compare(number, want)
}

// own returns the pebbles of the main functions of this rank.
func (p *program) own(epoch int) (all []addressed) {
	for sender := p.rank.ID(); sender < p.senders; sender += p.rank.Size() {
		of := p.first(sender, epoch)
		p.sender(sender, epoch, len(of))
		all = append(all, of...)
	}
	return all
}

func (p *program) send(a addressed) {
	if p.Batch == 0 {
		p.targets[a.target].Send(a.message)
		return
	}
	p.batches[a.target] = append(p.batches[a.target], a.message)
	if len(p.batches[a.target]) >= p.Batch {
		p.empty(a.target)
	}
}

func (p *program) empty(number int) {
	p.targets[number].SendAll(p.batches[number])
	p.batches[number] = p.batches[number][:0]
}

// compare returns an error if the tallies of this rank differ from the twin's.
func (p *program) compare(epoch int, want []tally) error {
	for i, got := range p.tallies {
		key := i % p.Keys
		if p.owners[i/p.Keys].Owner(uint64(key)) == p.rank.ID() && got != want[i] {
			return &WrongError{Epoch: epoch, Rank: p.rank.ID(), Target: i / p.Keys, Key: key, Got: got, Want: want[i]}
		}
	}
	return nil
}

// WrongError is a tally that differs from the twin's.
type WrongError struct {
	Epoch, Rank, Target, Key int
	Got, Want                tally
}

func (e *WrongError) Error() string {
	return fmt.Sprintf("after epoch %d, rank %d has seen %+v of key %d of target %d, not %+v", e.Epoch, e.Rank, e.Got,
		e.Key, e.Target, e.Want)
}

// codec encodes a pebble in a number of bytes that depends on its identity.
type codec struct{}

// Append implements target.Codec.
func (codec) Append(dst []byte, v message) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, v.ID)
	dst = binary.LittleEndian.AppendUint32(dst, v.Key)
	dst = binary.LittleEndian.AppendUint32(dst, v.Left)
	return append(dst, make([]byte, v.ID%23)...), nil
}

// Decode implements target.Codec.
func (codec) Decode(src []byte) (v message, err error) {
	if len(src) < 16 || uint64(len(src)-16) != binary.LittleEndian.Uint64(src)%23 {
		return v, fmt.Errorf("a pebble of %d bytes", len(src))
	}
	return message{
		ID: binary.LittleEndian.Uint64(src), Key: binary.LittleEndian.Uint32(src[8:]),
		Left: binary.LittleEndian.Uint32(src[12:]),
	}, nil
}
