package task

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/target"
)

// A group ends by the counts of Dijkstra and Scholten (Termination detection for diffusing computations, 1980). Each
// rank counts, for a group, its own tasks that have not ended, and the tasks that it has spawned until the ranks where
// they began report that they have taken them over. A rank joins a group with its first task: it reports that task to
// its spawner when it has nothing left of the group. It reports further tasks at once. So ranks form a tree below the
// rank that made the group, and nothing is left anywhere when that rank has counted to 0.

// GroupKind is a [Kind] whose tasks belong to groups: a wait for a group covers them on all ranks, and the tasks that
// they spawn. Its methods may be called where those of a Kind may.
type GroupKind[A any] struct {
	s    *Scheduler
	kind *Kind[member[A]]
	run  func(g *Group, a A)
}

// member is a task of a group that has not begun. Its codec treats the fields after A as one tag.
type member[A any] struct {
	A A
	groupName
	From uint32 // rank that counts it
}

// groupName is the rank that made a group, and its number there; number 0 stands for none.
type groupName struct{ Root, Number uint32 }

// taken reports that a rank need not count a task of a group any more.
type taken struct {
	To uint32
	groupName
}

// groups has the groups with tasks of kinds that are not finished on this rank.
type groups struct {
	s     *Scheduler
	known map[groupName]*Group
	last  uint32 // number of the last group
	taken *target.Target[taken]
}

// NewGroupKind registers a kind of tasks for groups, by the rules of [NewKind]. run gets the task's group, to spawn
// more tasks for it: of this kind or another one, or by [Group.Go]. The group is valid until run returns.
func NewGroupKind[A any](s *Scheduler, name string, run func(g *Group, a A), options ...target.Option) *GroupKind[A] {
	if run == nil {
		s.engine.Refuse(name, "it has no function that runs its tasks: give one")
	}
	if s.groups == nil {
		s.groups = newGroups(s)
	}
	argument := codecs.NewItem[A]("argument")
	given, options := codecs.Given(options)
	if err := codecs.Share(given, &argument); err != nil {
		s.engine.Refuse(name, err.Error())
	}
	if argument.Coded() {
		var m member[A]
		options = append(options, target.Coded(codecs.Pebbles[member[A]](codecs.Struct(reflect.TypeOf(m),
			codecs.Tag[[3]uint32](unsafe.Offsetof(m.groupName)), codecs.Field{Value: argument.Value}))))
	}
	k := &GroupKind[A]{s: s, run: run}
	k.kind = NewKind(s, name, k.begin, options...)
	return k
}

// Free frees the kind, by the rules of target.Target.Free.
func (k *GroupKind[A]) Free() {
	k.kind.Free()
	k.s = k.kind.s
}

// Spawn makes a task of a group that any rank may run, as [Kind.Spawn] does.
func (k *GroupKind[A]) Spawn(g *Group, a A) {
	k.s.engine.Tasks.CheckSpawn("Spawn was called")
	k.kind.Spawn(k.member(g, a))
}

// SpawnOn makes a task of a group that runs on a rank, as [Kind.SpawnOn] does.
func (k *GroupKind[A]) SpawnOn(g *Group, rank int, a A) {
	k.s.engine.Tasks.CheckSpawn("SpawnOn was called")
	k.kind.SpawnOn(rank, k.member(g, a))
}

// SpawnAt makes a task of a group that runs on the rank that owns a key.
func (k *GroupKind[A]) SpawnAt(g *Group, owner distribution.Map, key uint64, a A) {
	k.SpawnOn(g, owner.Owner(key), a)
}

// member counts a task that is spawned here.
func (k *GroupKind[A]) member(g *Group, a A) member[A] {
	g.join()
	k.s.groups.name(g)
	return member[A]{a, g.name, uint32(k.s.rank.ID())}
}

// begin runs a task on the rank where it has arrived.
func (k *GroupKind[A]) begin(m member[A]) {
	g := k.s.groups.groupOf(m.groupName, m.From)
	k.run(g, m.A)
	g.ended()
}

// Group is a set of tasks that another task waits for: of the rank that made it, by Go, and of any rank, by a
// [GroupKind].
type Group struct {
	s       *Scheduler
	left    int // tasks that have not ended, and those that no other rank has taken over
	waiting []*worker
	name    groupName // name for other ranks; none without tasks of kinds
	parent  uint32    // rank that gets the report when nothing is left here; unused on the rank that made the group
}

// NewGroup makes a group without tasks.
func (s *Scheduler) NewGroup() *Group { return &Group{s: s} }

// Go is [Scheduler.Go] for a task of the group.
func (g *Group) Go(run func()) {
	g.s.engine.Tasks.CheckSpawn("Group.Go was called")
	g.join()
	g.s.fresh.push(own{run, g})
}

// Wait makes the calling task, which must not belong to the group, wait until all tasks of the group have ended. It is
// for the rank that made the group. Each waiting task keeps its worker: if tasks wait for others, which wait for others
// again, there must be more workers than waiting tasks.
func (g *Group) Wait() {
	w := g.s.caller("Group.Wait")
	if g.elsewhere() {
		g.s.engine.Misuse("task", "Group.Wait for a group of rank %d: the rank that has made a group waits for it, by "+
			"a task that is none of it", g.name.Root)
	}
	if g.left > 0 {
		g.waiting = append(g.waiting, w)
		w.wait("Group.Wait")
	}
}

// elsewhere reports whether another rank made the group.
func (g *Group) elsewhere() bool { return g.name.Number > 0 && int(g.name.Root) != g.s.rank.ID() }

// join counts one more task.
func (g *Group) join() {
	if g.left == 0 && g.elsewhere() {
		g.s.engine.Misuse("task", "a task was spawned for a group of rank %d, which has ended here: spawn before the task "+
			"ends that was given the group", g.name.Root)
	}
	g.left++
}

// ended counts one less.
func (g *Group) ended() {
	if g.left--; g.left > 0 {
		return
	}
	for _, w := range g.waiting {
		w.wake()
	}
	g.waiting = g.waiting[:0]
	if g.name.Number > 0 {
		g.s.groups.remove(g)
	}
}

func newGroups(s *Scheduler) *groups {
	t := &groups{s: s, known: map[groupName]*Group{}}
	t.taken = target.New(s.rank, "task: tasks of groups", distribution.Ranks(s.rank.Size()),
		target.Key(func(e taken) uint64 { return uint64(e.To) }),
		target.Each(t.takenOver))
	return t
}

// takenOver counts one task less of a group, after another rank has taken it over. It is a handler.
func (t *groups) takenOver(e taken) {
	g := t.known[e.groupName]
	if g == nil {
		t.s.engine.Fail(fmt.Errorf("task: rank %d: a task was taken over of a group that this rank has nothing of: "+
			"pebbles were repeated, altered or misplaced", t.s.rank.ID()))
	}
	g.ended()
}

// name gives a group a name for other ranks.
func (t *groups) name(g *Group) {
	if g.name.Number == 0 {
		t.last++
		g.name = groupName{uint32(t.s.rank.ID()), t.last}
	}
	t.known[g.name] = g
}

// groupOf returns the group of a task that begins here, and counts the task unless this rank has done so.
func (t *groups) groupOf(name groupName, from uint32) *Group {
	g := t.known[name]
	switch {
	case int(from) == t.s.rank.ID():
	case g != nil:
		g.left++
		t.taken.Send(taken{from, name})
	default:
		g = &Group{s: t.s, name: name, parent: from, left: 1}
		t.known[name] = g
	}
	return g
}

// remove removes a group with nothing left here.
func (t *groups) remove(g *Group) {
	delete(t.known, g.name)
	if g.elsewhere() {
		t.taken.Send(taken{g.parent, g.name})
	}
}
