package engine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/route"
)

// NoTeam is the color of a rank that joins no team.
const NoTeam = -1

// choice is the argument of a rank in a split.
type choice struct {
	rank       int // in the team that is split
	color, key int64
	next       uint32 // the lowest number that no team of the rank has had
	name       string
}

// choiceBytes is the length of a choice before its name.
const choiceBytes = 20

func (c choice) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(c.color))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.key))
	b = binary.LittleEndian.AppendUint32(b, c.next)
	return append(b, c.name...)
}

func choiceOf(rank int, b []byte) choice {
	return choice{rank, int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:])),
		binary.LittleEndian.Uint32(b[16:]), string(b[choiceBytes:])}
}

// Split makes teams of the ranks with equal colors, ordered by key, and then by rank. It is a collective, and returns
// this rank's part in its team. For a rank without a team, each call of the part panics. If name is "", the color is
// the name.
func (r *Rank) Split(color, key int, name string) (part *Rank, err error) {
	h := hubOf(r.whole())
	all, err := r.choices(choice{color: int64(color), key: int64(key), next: h.next, name: name})
	if err != nil {
		return nil, err
	}
	number, members, err := r.team.chosen(all, all[r.id].color, h)
	switch {
	case err != nil:
		return nil, r.FailIn("Split", err)
	case members == nil:
		return r.stranger(), nil
	}
	return r.join(h, number, choice{color: int64(color), name: name}, members), nil
}

// chosen returns the members of the team of a color, by their numbers in the job, and the number of the team, which
// none of the ranks has had. It reorders the choices.
func (t *team) chosen(all []choice, color int64, h *hub) (number uint32, members []int, err error) {
	slices.SortFunc(all, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.color, b.color), cmp.Compare(a.key, b.key), cmp.Compare(a.rank, b.rank))
	})
	for _, c := range all {
		h.next = max(h.next, c.next)
	}
	for i, c := range all {
		switch {
		case c.color == NoTeam:
			continue
		case i == 0 || all[i-1].color != c.color:
			h.next++
		case all[i-1].name != c.name:
			return 0, nil, fmt.Errorf("rank %d names the team of color %d %q, rank %d names it %q: give one name for "+
				"each color", all[i-1].rank, c.color, all[i-1].name, c.rank, c.name)
		}
		if c.color == color {
			number, members = h.next-1, append(members, t.inJob(c.rank))
		}
	}
	return number, members, nil
}

// choices returns the choices of all ranks, ordered by rank.
func (r *Rank) choices(own choice) (all []choice, err error) {
	if r.Job.config.Lone {
		return nil, r.FailIn("Split", errors.New("with this many ranks only rank 0 runs to explain an epoch, "+
			"without the teams of other ranks: explain the job with fewer ranks"))
	}
	if own.color < NoTeam {
		r.Misuse(room, "Split with color %d: colors are 0 and above, and NoTeam", own.color)
	}
	records, err := r.Collectives.networks[splitting].run(collective.AllGather(r.id, r.Size()),
		collective.AppendRecord(nil, own.append(nil)), nil)
	if err != nil {
		return nil, err
	}
	all = make([]choice, r.Size())
	for rank, b := range collective.Records(records, len(all)) {
		all[rank] = choiceOf(rank, b)
	}
	return all, nil
}

// whole returns the part in the job of this rank.
func (r *Rank) whole() *Rank {
	if r.port != nil {
		return r.port.hub.whole.rank
	}
	return r
}

// splitKey is the common key of ranks of a process that are consecutive in one team.
type splitKey struct {
	number uint32
	first  int
}

// join makes this rank's part in a team. The hub delivers the frames that have arrived for it.
func (r *Rank) join(h *hub, number uint32, own choice, members []int) *Rank {
	id := slices.Index(members, r.InJob(r.id))
	name := own.name
	if name == "" {
		name = fmt.Sprint(own.color)
		if r.port != nil {
			name = r.team.name + "/" + name
		}
	}
	t := newTeam(r.team, number, name, members, r.Job.place, id)
	t = r.InCommon(splitKey{number, t.place.First}, func() any { return t }).(*team)
	return h.add(t, id)
}

// stranger returns the part of a rank in a team without it.
func (r *Rank) stranger() *Rank {
	none := &team{place: r.team.place, links: route.NewLinks(), name: r.team.name, members: r.team.members}
	s := &Rank{caller: caller{id: r.id, Job: r.Job, team: none, port: r.port, owner: new(owner), mode: over,
		gone: "by a rank that has joined no team: its color in Split was NoTeam, as Team.Member tells"}}
	connect(s)
	return s
}

// Member reports whether the rank is a member of its team.
func (c *caller) Member() bool { return c.gone == "" }

// End ends the team. It is a collective of its ranks. Later calls of the rank's part in it panic. When the job has
// failed, it does nothing, so that it may be deferred.
func (r *Rank) End() error {
	call := fmt.Sprintf("%v was freed", r.team)
	r.CheckFreed(call)
	if r.port == nil {
		r.Misuse(room, "the whole job was freed: free teams")
	}
	if r.stack != nil || r.Job.failed.Load() {
		return r.Job.error()
	}
	if in := r.mode; in != outside {
		r.misplaced(in, call, "%s inside an epoch: free between epochs", call)
	}
	if err := r.Hooks.mayBegin("the end of a team"); err != nil {
		return r.FailIn("Free", err)
	}
	if _, err := r.Collectives.networks[parting].run(r.Collectives.exchange, nil, nil); err != nil {
		return err
	}
	r.Tasks.end()
	r.mode, r.gone = over, freed(r.team.String())
	r.port.hub.remove(r.port)
	r.team.parent.forget(splitKey{r.team.number, r.team.place.First})
	return nil
}

// remove removes a team that has ended.
func (h *hub) remove(p *port) {
	h.past = h.past.Add(p.rank.Sender.Count)
	h.went += p.rank.Publisher.moved + p.rank.Loop.arrivals.processed
	h.teams = slices.DeleteFunc(h.teams, func(other *port) bool { return other == p })
	p.rank.Loop.arrivals.release()
	p.rank.Collectives.control.clear()
	p.waiting.Release()
}

// forget removes a value that ranks of this process share.
func (t *team) forget(key any) {
	t.mutex.Lock()
	delete(t.common, key)
	t.mutex.Unlock()
}
