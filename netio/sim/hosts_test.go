package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// onHosts simulates a job of hosts with several processes.
func onHosts(ranks, processes, perHost int) sim.Config {
	n := sim.Machines["flat"]
	n.ProcessesPerHost = perHost
	return sim.Config{Ranks: ranks, Processes: processes, Network: n}
}

// allToAll sends a pebble from each rank to each in an epoch that ends link by link, or none, and returns the data
// frames of the job and all frames between hosts.
func allToAll(t *testing.T, c sim.Config, topology string, pebbles bool) (data, between uint64) {
	constructor, err := route.ByName(topology)
	require.NoError(t, err)
	ordered, err := termination.ByName("ordered")
	require.NoError(t, err)
	config := pebble.Config{Topology: constructor, Due: -1, Termination: ordered}
	w := mustRun(t, c, config, func(r appstest.Rank) {
		got := 0
		to := target.New(r.Rank, "to", distribution.Ranks(r.Size()), target.Key(key),
			target.Each(func(uint64) { got++ }))
		r.NoError(r.Epoch(func() error {
			for dest := range r.Size() {
				if pebbles {
					to.Send(uint64(dest))
				}
			}
			return nil
		}, pebble.Depth(1)))
		if pebbles {
			r.Equal(r.Size(), got)
		}
		sum := appstest.Reduced(r, r.Counters().FramesSent, pebble.Sum)
		if r.ID() == 0 {
			data = sum
		}
	})
	return data, w.Stats().BetweenHosts
}

// An all-to-all takes one frame for each link. Between H hosts of c ranks that are c log2 H for each host over a
// hypercube, where direct sends take one for each pair of ranks. Uneven hosts have the columns of the smallest.
func TestFramesBetweenHosts(t *testing.T) {
	for _, c := range []struct {
		ranks, processes, perHost int
		topology                  string
		between                   int
	}{
		{32, 32, 4, "direct", 32 * 28},
		{32, 32, 4, "hypercube", 3 * 32},
		{32, 32, 4, "hosts:hypercube", 3 * 32},
		{32, 16, 2, "hosts:hypercube", 3 * 32},
		{32, 8, 1, "hosts:direct", 7 * 32},
		{32, 32, 4, "hosts:tree", 4 * 2 * 7},
		{36, 36, 4, "hosts:mesh:2", 4 * 36},
		{24, 24, 4, "hosts:hypercube", 4 * 2 * 7}, // a cube without two corners has 7 edges
		{27, 27, 4, "hosts:hypercube", 3 * 2 * 9}, // the last host has 3 ranks: 3 columns of a cube without a corner
		{25, 25, 4, "hosts:hypercube", 1 * 2 * 9},
		{13, 5, 2, "hosts:mesh:2", 2 * 2 * 2}, // 6, 5 and 2 ranks
	} {
		name := fmt.Sprint(c.topology, " ", c.ranks, " ranks, ", c.perHost, " a host")
		t.Run(name, func(t *testing.T) {
			world := onHosts(c.ranks, c.processes, c.perHost)
			data, with := allToAll(t, world, c.topology, true)
			_, without := allToAll(t, world, c.topology, false)
			require.EqualValues(t, c.between, with-without)
			constructor, err := route.ByName(c.topology)
			require.NoError(t, err)
			var hosts []int
			for process := 0; process < c.processes; process += c.perHost {
				hosts = append(hosts, process)
			}
			place := netio.PlaceOf(c.ranks, c.processes, 0).OnHosts(hosts)
			shape, err := route.Check(route.PlaceOn(constructor(c.ranks), place))
			require.NoError(t, err)
			require.EqualValues(t, shape.Links, data)
		})
	}
}

// A team has the hosts of its members.
func TestHostsOfTeams(t *testing.T) {
	mustRun(t, onHosts(8, 4, 2), pebble.Config{Topology: route.Hosts(route.Hypercube)}, func(r appstest.Rank) {
		r.Equal([]int{0, 4}, r.Place().Hosts())
		member := pebble.NoTeam
		if r.ID()%4 > 0 && r.ID() != 5 {
			member = 0
		}
		team := appstest.Must(r.Split(member, 0))
		if team.Member() {
			r.Equal([]int{0, 3}, team.Place().Hosts()) // ranks 1, 2, 3, 6 and 7
			r.NoError(team.Free())
		}
		r.Meet()
	})
}
