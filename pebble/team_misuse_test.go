package pebble_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// halves is a rank of a job with its part in one of the teams "even" and "odd", and a target of each.
type halves struct {
	r, part   *pebble.Rank
	team      *pebble.Team
	all, some func(v uint64)
}

func split(r *pebble.Rank) *halves {
	team := appstest.Must(r.Split(r.ID()%2, 0, []string{"even", "odd"}[r.ID()%2]))
	return &halves{r, team.Rank, team, byRank(r, "all", ignore).Send, byRank(team.Rank, "some", ignore).Send}
}

// Calls of a team in a wrong place, or of the wrong team, end the job with an error.
func TestTeamMisuse(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(h *halves) error
		want []string
	}{
		"a target of a team in an epoch of the job": {func(h *halves) error {
			return epochOf(3, h.r, func() { h.some(0) })
		}, []string{`rank 1 of team "odd" (rank 3 of the job)`,
			`target "some": a pebble was sent outside of an epoch`}},
		"a target of the job in an epoch of a team": {func(h *halves) error {
			return epoch(h.part, func() { h.all(0) })
		}, []string{"a pebble was sent inside an epoch or call of team", "one team at a time"}},
		"a target of another team in an epoch of a team": {func(h *halves) error {
			theirs := byRank(appstest.Must(h.r.Split(0, 0, "theirs")).Rank, "theirs", ignore)
			return epoch(h.part, func() { theirs.Send(0) })
		}, []string{`a pebble was sent inside an epoch or call of team "`, "one team at a time"}},
		"an epoch of the job in one of a team": {func(h *halves) error {
			return epoch(h.part, func() { _ = idle(h.r) })
		}, []string{"Epoch was called inside an epoch or call of team"}},
		"an epoch of a team in one of the job": {func(h *halves) error {
			return epoch(h.r, func() { _ = idle(h.part) })
		}, []string{"Epoch was called inside an epoch or call of the whole job"}},
		"a barrier of a team in an epoch of it": {func(h *halves) error {
			return epoch(h.part, func() { _ = h.part.Barrier() })
		}, []string{"a barrier was begun inside an epoch"}},
		"a barrier of a team in an epoch of the job": {func(h *halves) error {
			return epoch(h.r, func() { _ = h.part.Barrier() })
		}, []string{"a barrier was begun inside an epoch or call of the whole job"}},
		"another collective than the rest of the team": {func(h *halves) error {
			if h.r.ID() == 2 {
				return h.team.Free()
			}
			return h.part.Barrier()
		}, []string{`team "even"`, "is at the end of a team", "is at a barrier"}},
		"a sum where the rest of the team meets": {func(h *halves) error {
			if h.r.ID() == 2 {
				return errorOf(pebble.AllReduce(h.part, 1, pebble.Sum))
			}
			return h.part.Barrier()
		}, []string{`team "even"`, "is at an all-reduction", "is at a barrier", "collectives in the same order"}},
		"another target than the rest of the team": {func(h *halves) error {
			if h.r.ID() == 1 {
				byRank(h.part, "more", ignore)
			}
			return idle(h.part)
		}, []string{`team "odd"`, `"more"`, "all ranks must register"}},
		"a split that others don't make": {func(h *halves) error {
			if h.r.ID() == 0 {
				return errorOf(h.r.Split(0, 0))
			}
			return h.r.Barrier()
		}, []string{"is at a split into teams", "is at a barrier"}},
		"a freed team": {func(h *halves) error {
			appstest.OK(h.team.Free())
			return h.part.Barrier()
		}, []string{`a barrier was begun after team "`, "was freed: free what nothing uses any more"}},
		"a target of a freed team": {func(h *halves) error {
			appstest.OK(h.team.Free())
			return epoch(h.r, func() { h.some(0) })
		}, []string{`a pebble was sent after team "`, "was freed"}},
		"a team freed twice": {func(h *halves) error {
			appstest.OK(h.team.Free())
			return h.team.Free()
		}, []string{`was freed after team "`}},
		"a team freed in an epoch": {func(h *halves) error {
			return epoch(h.part, func() { _ = h.team.Free() })
		}, []string{"was freed inside an epoch"}},
		"two names for one color": {func(h *halves) error {
			return errorOf(h.r.Split(7, 0, []string{"left", "right"}[h.r.ID()/2]))
		}, []string{`rank 1 names the team of color 7 "left", rank 2 names it "right"`}},
		"two names at once": {func(h *halves) error { return errorOf(h.r.Split(7, 0, "left", "right")) },
			[]string{"Split with 2 names"}},
		"a color below none": {func(h *halves) error { return errorOf(h.r.Split(-2, 0)) },
			[]string{"Split with color -2: colors are 0 and above"}},
		"a panic in a handler of a team": {func(h *halves) error {
			boom := byRank(h.part, "boom", func(uint64) { panic("boom") })
			return epochOf(1, h.part, func() { boom.Send(0) })
		}, []string{`panicked in a handler of target "boom"`, `of team "`, "boom"}},
		"an error of an epoch of a team": {func(h *halves) error {
			return h.part.Epoch(func() error { return errors.New("no luck") })
		}, []string{`of the job: rank `, "no luck"}},
	} {
		for _, s := range []appstest.Shape{appstest.Mem(4), {Ranks: 4, Procs: 4, Transport: "sim"}} {
			t.Run(name+" over "+s.Transport, func(t *testing.T) {
				err := s.Run(t, func(r *pebble.Rank) error { return c.do(split(r)) })
				require.Error(t, err)
				for _, want := range c.want {
					require.ErrorContains(t, err, want)
				}
			})
		}
	}
}

// A rank that is no member gets a team whose calls all report that.
func TestStrangers(t *testing.T) {
	for name, do := range map[string]func(team *pebble.Team) error{
		"Epoch":      func(team *pebble.Team) error { return idle(team.Rank) },
		"Barrier":    func(team *pebble.Team) error { return team.Barrier() },
		"Split":      func(team *pebble.Team) error { return errorOf(team.Split(0, 0)) },
		"Free":       func(team *pebble.Team) error { return team.Free() },
		"target.New": func(team *pebble.Team) error { byRank(team.Rank, "a", ignore); return nil },
		"memory.New": func(team *pebble.Team) error { memory.New(team.Rank); return nil },
		"task.New":   func(team *pebble.Team) error { task.New(team.Rank); return nil },
		"AllReduce":  func(team *pebble.Team) error { return errorOf(pebble.AllReduce(team.Rank, 1, pebble.Sum)) },
		"NewCounter": func(team *pebble.Team) error { container.NewCounter[int](team.Rank, "a"); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				memory.New(r)
				team, err := r.Split(min(r.ID(), 1)-1, 0)
				if err != nil || team.Member() {
					return err
				}
				return do(team)
			})
			require.ErrorContains(t, err, "by a rank that has joined no team: its color in Split was NoTeam")
		})
	}
}

// Ranks in calls of two teams wait for each other without end: a simulation ends, and elsewhere the report names the
// teams.
func TestTeamsOutOfOrder(t *testing.T) {
	program := func(r *pebble.Rank) error {
		a, b := appstest.Must(r.Split(0, 0, "a")), appstest.Must(r.Split(0, 0, "b"))
		if r.ID() == 1 {
			a, b = b, a
		}
		return errors.Join(a.Barrier(), idle(b.Rank))
	}
	err := appstest.Shape{Ranks: 2, Procs: 1, Transport: "sim"}.Run(t, program)
	var hang *sim.HangError
	require.ErrorAs(t, err, &hang)

	var out bytes.Buffer
	watch := pebble.Watch{Stall: 100 * time.Millisecond, StallExit: true, Out: &out}
	err = run(t, pebble.Config{Ranks: 2, Watch: watch}, program)
	var stall *pebble.StallError
	require.ErrorAs(t, err, &stall)
	for _, want := range []string{`rank 0 waits for the others in barrier of team "a"`,
		`rank 1 waits for the others in barrier of team "b"`, "ranks call the teams that they share in one order"} {
		require.ErrorContains(t, err, want)
		require.Contains(t, out.String(), want)
	}
}
