package engine

import (
	"fmt"
	"slices"
	"sync"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// team is a group of ranks with common epochs and collectives, those of a job or a subset, as seen by the ranks of one
// process. Each team numbers its ranks from 0.
type team struct {
	place   netio.Place // for a subset, with substitutes for processes: see netio.PlaceAmong
	links   *route.Links
	number  uint32   // number in its frames; 0 for the whole job
	name    string   // "" for the whole job
	members []int    // the job's ranks, by rank; nil for the whole job
	ranks   []uint32 // rank + 1, by the number in the job, from the lowest member on; 0 for other ranks
	lowest  int      // lowest number of a member in the job
	parent  *team    // the team that was split; nil for the whole job

	mutex  sync.Mutex
	common map[any]any // values that ranks of this process share, by key; nil before its first use
}

// newTeam makes a subset for its member rank. job is the place of the process in the job.
func newTeam(parent *team, number uint32, name string, members []int, job netio.Place, rank int) *team {
	t := &team{parent: parent, links: route.NewLinks(), number: number, name: name, members: members,
		lowest: slices.Min(members)}
	t.ranks = make([]uint32, slices.Max(members)-t.lowest+1)
	var firsts, hosts []int
	process := 0
	for i, m := range members {
		t.ranks[m-t.lowest] = uint32(i + 1)
		if i == 0 || job.ProcessOf(m) != job.ProcessOf(members[i-1]) {
			if i == 0 || job.HostOf(m) != job.HostOf(members[i-1]) {
				hosts = append(hosts, len(firsts))
			}
			firsts = append(firsts, i)
		}
		if i == rank {
			process = len(firsts) - 1
		}
	}
	t.place = netio.PlaceAmong(len(members), firsts, process).OnHosts(hosts)
	return t
}

// rankOf returns the rank of a member, by its number in the job.
func (t *team) rankOf(member int) (rank int, ok bool) {
	if i := member - t.lowest; i >= 0 && i < len(t.ranks) && t.ranks[i] > 0 {
		return int(t.ranks[i]) - 1, true
	}
	return 0, false
}

// inJob returns the number in the job of a rank of the team.
func (t *team) inJob(rank int) int {
	if t.members == nil {
		return rank
	}
	return t.members[rank]
}

// String names the team in errors.
func (t *team) String() string { return fmt.Sprintf("team %q", t.name) }

// Team returns the name of the rank's team; "" for the whole job.
func (c *caller) Team() string { return c.team.name }

// InJob returns the number in the job of a rank of this rank's team.
func (c *caller) InJob(rank int) int { return c.team.inJob(rank) }

// Place returns the number of processes, and the ranks of the team that share this rank's process.
func (c *caller) Place() netio.Place { return c.team.place }

// self names the rank in errors.
func (c *caller) self() string {
	if c.port == nil {
		return fmt.Sprintf("rank %d", c.id)
	}
	return fmt.Sprintf("rank %d of %v (rank %d of the job)", c.id, c.team, c.InJob(c.id))
}

// InCommon returns the value that the ranks of this process share under a key. The first rank that asks makes it.
func (c *caller) InCommon(key any, make func() any) any {
	t := c.team
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if v, ok := t.common[key]; ok {
		return v
	}
	v := make()
	if t.common == nil {
		t.common = map[any]any{}
	}
	t.common[key] = v
	return v
}

// TeamError is an error of a team's rank. Its text numbers ranks as the team does.
type TeamError struct {
	Team string // its name
	Rank int    // rank that reports it, as the job numbers it
	Err  error
}

func (e *TeamError) Error() string {
	return fmt.Sprintf("team %q, by rank %d of the job: %v", e.Team, e.Rank, e.Err)
}

// Unwrap returns the error itself.
func (e *TeamError) Unwrap() error { return e.Err }
