package engine

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/netio"
)

// hubbed is rank 1 of a job of four ranks in two processes, with nothing around it.
type hubbed struct {
	*hub
	job  *job
	port scenario.Port
	sent []netio.Header
	now  time.Duration
}

func newHubbed() *hubbed {
	m := &hubbed{}
	m.port = scenario.Port{Clock: &m.now, Lends: netio.NewPool(nil), Woken: func() {}, Sent: func(f *netio.Frame) {
		m.sent = append(m.sent, f.Header)
		f.Release()
	}}
	w := &world{log: &scenario.Log{}, place: netio.PlaceOf(4, 2, 0)}
	for id := range 2 {
		w.ranks = append(w.ranks, &member{world: w, id: id})
	}
	m.job = newJob(Config{Options: options(1), Transport: w, Log: slog.New(slog.DiscardHandler)})
	m.job.ports = []netio.Port{&m.port}
	r := newRank(m.job, 1, &m.port)
	r.owner.begin()
	m.hub = hubOf(r)
	return m
}

// joins makes the rank a member of a team.
func (m *hubbed) joins(number uint32, members ...int) *Rank {
	m.next = number + 1
	id := 0
	for members[id] != 1 {
		id++
	}
	return m.add(newTeam(&m.job.whole, number, "t", members, m.job.place, id), id)
}

func (m *hubbed) arrives(team uint32, from int, seq uint64, kind netio.Kind, check purpose) {
	f := m.port.Lends.Get(8)
	f.Kind, f.From, f.To, f.Seq, f.Check = kind, uint32(from), 1, uint64(team)<<teamShift|seq, uint32(check)
	m.port.Arrived.Push(f)
}

// received returns the sender and the sequence number of each frame that a rank receives.
func received(r *Rank) (all [][2]int) {
	for f := r.Sender.Port.Recv(); f != nil; f = r.Sender.Port.Recv() {
		all = append(all, [2]int{int(f.From), int(f.Seq)})
		f.Release()
	}
	return all
}

// Frames reach their team, in order, and carry the numbers of ranks in that team.
func TestPortsOfTeams(t *testing.T) {
	m := newHubbed()
	whole, a := m.whole.rank, m.joins(3, 3, 1, 0)
	m.arrives(3, 3, 10, netio.Control, barrier)
	m.arrives(0, 3, 11, netio.Control, barrier)
	m.arrives(3, 0, 12, netio.Control, barrier)
	m.arrives(4, 2, 13, netio.Data, 0) // for a team that is being made
	require.Equal(t, [][2]int{{3, 11}}, received(whole))
	m.arrives(3, 0, 14, netio.Data, 0)
	require.Equal(t, [][2]int{{0, 10}, {2, 12}, {2, 14}}, received(a))
	require.Empty(t, received(whole))
	b := m.joins(4, 1, 2)
	require.Equal(t, [][2]int{{1, 13}}, received(b))

	sendControl(&a.Sender, 2, nil, netio.Header{Seq: 7, Check: uint32(barrier)})
	sendControl(&whole.Sender, 2, nil, netio.Header{Seq: 8, Check: uint32(barrier)})
	require.Equal(t, []netio.Header{
		{Kind: netio.Control, From: 1, To: 0, Check: uint32(barrier), Seq: 3<<teamShift | 7},
		{Kind: netio.Control, From: 1, To: 2, Check: uint32(barrier), Seq: 8},
	}, m.sent)
}

// Messages to locks are taken at any time, and late marks are dropped.
func TestMessagesOfTeamsAnywhere(t *testing.T) {
	m := newHubbed()
	a := m.joins(3, 3, 1, 0)
	var posts []int
	a.Exposed.Posts(func(from int, _ []byte) { posts = append(posts, from) })
	m.arrives(3, 0, 0, netio.Control, posting)
	require.Empty(t, received(m.whole.rank))
	require.Equal(t, []int{2}, posts)
	m.remove(a.port)
	m.arrives(3, 0, 0, netio.Control, marking)
	require.Empty(t, received(m.whole.rank))
	require.NoError(t, m.job.error())
	require.Zero(t, m.port.Lends.Lent())
}

// Frames that no member has sent, or that arrive after the end of their team, end the job.
func TestStrayFramesOfTeams(t *testing.T) {
	for want, arrive := range map[string]func(m *hubbed){
		`the sender is no member of team "t"`: func(m *hubbed) { m.arrives(3, 2, 0, netio.Data, 0) },
		"team number 2, which was freed here": func(m *hubbed) { m.arrives(2, 3, 0, netio.Data, 0) },
	} {
		t.Run(want, func(t *testing.T) {
			m := newHubbed()
			m.joins(3, 3, 1, 0)
			arrive(m)
			done := make(chan struct{})
			go func() { // a failure ends it
				defer close(done)
				received(m.whole.rank)
			}()
			<-done
			require.ErrorContains(t, m.job.error(), want)
		})
	}
}

// The work of teams adds up, including that of ended ones.
func TestCountsOfTeams(t *testing.T) {
	m := newHubbed()
	a, b := m.joins(3, 3, 1, 0), m.joins(4, 1, 2)
	m.whole.rank.Sender.Count.PebblesSent, a.Sender.Count.PebblesSent, b.Sender.Count.PebblesSent = 1, 10, 100
	a.Publisher.moved = 5
	moved := m.moved()
	m.remove(a.port)
	require.EqualValues(t, 111, m.counts().PebblesSent)
	require.Equal(t, moved, m.moved())
	require.EqualValues(t, 111, m.work().Sent)
}
