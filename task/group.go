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
// rank counts, of a group, its own tasks that have not ended, and those that it has spawned until it hears that the
// ranks where they began have taken them over. A rank is in a group from its first task on: that one's spawner hears
// of it when the rank has nothing left of the group. Spawners of further tasks hear at once. So ranks are a tree, from
// the one that made the group down, and nothing is left anywhere when that one has counted to 0.

// GroupKind is a [Kind] whose tasks belong to groups: who waits for a group waits for them, wherever they run, and
// for those that they spawn. Its methods may be called where those of a Kind may.
type GroupKind[A any] struct {
	s    *Scheduler
	kind *Kind[member[A]]
	run  func(g *Group, a A)
}

// member is a task of a group that has not begun. Its codec takes what follows A for one tag.
type member[A any] struct {
	A A
	groupName
	From uint32 // the rank that counts it
}

// groupName is the rank that has made a group, and its number there; 0 is none.
type groupName struct{ Root, Number uint32 }

// taken says that a rank need not count a task of a group any more.
type taken struct {
	To uint32
	groupName
}

// groups are those of which this rank has something left, and that have tasks of kinds.
type groups struct {
	s     *Scheduler
	known map[groupName]*Group
	last  uint32 // number of a group
	taken *target.Target[taken]
}

// NewGroupKind registers a kind of tasks for groups, by the rules of [NewKind]. run gets the task's group, by which it
// spawns more for it: by this kind or another one, or by [Group.Go]. That is good until run returns.
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

// begin runs a task, where it has come to.
func (k *GroupKind[A]) begin(m member[A]) {
	g := k.s.groups.groupOf(m.groupName, m.From)
	k.run(g, m.A)
	g.ended()
}

// Group is tasks that another one waits for: of the rank that has made it, by Go, and of any rank, by a [GroupKind].
type Group struct {
	s       *Scheduler
	left    int // tasks that have not ended, and those that no other rank has taken over
	waiting []*worker
	name    groupName // as other ranks know it; of those that have no tasks of kinds, none
	parent  uint32    // the rank to be told that this one has nothing left of it; unless it is the one that made it
}

// NewGroup makes a group without tasks.
func (s *Scheduler) NewGroup() *Group { return &Group{s: s} }

// Go is [Scheduler.Go] for a task of the group.
func (g *Group) Go(run func()) {
	g.s.engine.Tasks.CheckSpawn("Group.Go was called")
	g.join()
	g.s.fresh.push(own{run, g})
}

// Wait lets the task that calls, which must be none of the group, wait until all tasks of the group have ended. It is
// for the rank that has made the group. Each task that waits keeps its worker: where tasks wait for others, which wait
// for others again, there must be more workers than waiting tasks.
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

// elsewhere tells whether another rank has made the group.
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

// takenOver counts one less of a group whose task another rank has taken over. It is a handler.
func (t *groups) takenOver(e taken) {
	g := t.known[e.groupName]
	if g == nil {
		t.s.engine.Fail(fmt.Errorf("task: rank %d: a task was taken over of a group that this rank has nothing of: "+
			"pebbles were repeated, altered or misplaced", t.s.rank.ID()))
	}
	g.ended()
}

// name has other ranks know a group.
func (t *groups) name(g *Group) {
	if g.name.Number == 0 {
		t.last++
		g.name = groupName{uint32(t.s.rank.ID()), t.last}
	}
	t.known[g.name] = g
}

// groupOf finds the group of a task that begins here, and counts the task unless this rank has done so.
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

// remove forgets a group of which nothing is left here.
func (t *groups) remove(g *Group) {
	delete(t.known, g.name)
	if g.elsewhere() {
		t.taken.Send(taken{g.parent, g.name})
	}
}
