package command

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// typed runs a command line without spaces within words.
func typed(line string) ran { return pebbles(strings.Fields(line)...) }

// TestSimulationIsTheSameEachTime requires that a simulated run finds the result of a real one, and the same in every
// run except for the memory of this process.
func TestSimulationIsTheSameEachTime(t *testing.T) {
	line := "sim randomaccess --ranks 12 --procs 3 --log2-words 6 --topology hypercube --network odin --fabric " +
		"fat-tree --json --trace "
	dir := t.TempDir()
	var objects []map[string]any
	var traces []string
	for _, name := range []string{"a", "b"} {
		file := filepath.Join(dir, name)
		r := typed(line + file)
		require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
		o := commandtest.Object(t, r.Stdout)
		delete(o["memory"].(map[string]any), "resident_peak")
		objects = append(objects, o)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		traces = append(traces, string(text))
	}
	require.Equal(t, objects[0], objects[1])
	require.Greater(t, len(traces[0]), 1000)
	require.True(t, traces[0] == traces[1], "the traces differ")
	bare := commandtest.Object(t, typed(strings.TrimSuffix(line, "--trace ")).Stdout)
	require.Equal(t, bare["seconds"], objects[0]["seconds"], "a trace costs no simulated time")
	merged := typed("trace -o " + filepath.Join(dir, "all") + " " + filepath.Join(dir, "a"))
	require.Equal(t, launch.ExitOK, merged.Status, merged.Stderr)
	require.Regexp(t, `\d+ +handler`, merged.Stdout)

	real := object(t, strings.Fields("randomaccess --ranks 12 --log2-words 6 --topology hypercube")...)
	require.Equal(t, real["checksum"], objects[0]["checksum"])
	require.Equal(t, "sim", objects[0]["transport"])
	require.EqualValues(t, 3, objects[0]["procs"])
	simulation := objects[0]["simulation"].(map[string]any)
	require.Positive(t, simulation["frames_between_hosts"].(float64)+simulation["frames_within_host"].(float64))
}

func TestSimulationOfAllApplications(t *testing.T) {
	for app, line := range small {
		o, _ := objectAt(t, line, "sim --ranks 5")
		require.Equal(t, app, o["app"])
		require.Zero(t, o["errors"])
		require.Contains(t, o, "simulation")
	}
}

// TestDeathsInAllApplications requires that the death of a process ends each application with an error that names it,
// at any time between the loading of the input and the end of the verification.
func TestDeathsInAllApplications(t *testing.T) {
	const ranks, times = 3, 24
	for app, line := range small {
		t.Run(app, func(t *testing.T) {
			t.Parallel()
			line := with(with([]string{"sim"}, line...), "--ranks", fmt.Sprint(ranks))
			seconds := object(t, line...)["simulation"].(map[string]any)["seconds"].(float64)
			for i := range times {
				at := time.Duration(seconds * float64(i) / times * 1e9)
				victim := i % ranks
				fails(t, launch.ExitFollower, with(line, "--die", fmt.Sprintf("%d@%v", victim, at)),
					fmt.Sprintf("lost process %d (rank %[1]d): connection broken", victim))
			}
		})
	}
}

// TestSimulatedFaults requires status and words of a lost process for irreparable faults, and a result for others.
func TestSimulatedFaults(t *testing.T) {
	for flags, says := range map[string]string{
		"--die 3@20us":         "lost process 3 (rank 3): connection broken",
		"--fault loss=0.05":    "a frame is missing",
		"--fault corrupt=0.05": "damaged frame",
		"--part 2@20us+1m":     "no sign of life",
		"--freeze 1@20us+1m":   "lost process 1 (rank 1): no sign of life",
	} {
		fails(t, launch.ExitFollower, strings.Fields("sim alltoall --ranks 8 --rounds 30 "+flags), says)
	}
	r := typed("sim alltoall --ranks 8 --rounds 30 --fault delay=0.5,double=0.2 " +
		"--freeze 1@20us+1s --part 2@20us+1s --json")
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	require.Zero(t, commandtest.Object(t, r.Stdout)["errors"])
}

func TestLimitOfSimulation(t *testing.T) {
	fails(t, launch.ExitError, strings.Fields("sim epochs --limit 1ns --ranks 4 --count 10"), "virtual time")
}

// TestCoresWithoutNumber requires that cores beyond the job's ranks have no effect.
func TestCoresWithoutNumber(t *testing.T) {
	line := strings.Fields("sim epochs --count 2 --ranks 3 -q --cores")
	few, many := object(t, with(line, "3")...), object(t, with(line, "9223372036854775807")...)
	require.Equal(t, few["seconds"], many["seconds"])
}

// sent runs an all-to-all of one item of 8 bytes for each pair of ranks.
func sent(t *testing.T, ranks int, flags string) apps.Report {
	t.Helper()
	r := typed(fmt.Sprintf("sim alltoall --bytes 8 --rounds 1 --ranks %d --topology hypercube --due never --json -q %s",
		ranks, flags))
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	var o apps.Report
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &o))
	return o
}

// TestHypercubeIsAsTheFormulasSay compares with formulas. Under a hypercube of a power of two ranks, every rank sends
// every other one an item. Half of all bits differ, so there are P²/2 log2 P hops, and P log2 P frames if stages are
// ended in order and nothing fills a buffer (Active Pebbles, section 3.4). Buffers have room for the traffic of the
// busiest link: the pebbles of all pairs of ranks without a common bit pass through rank 0, 3^(log2 P) of them.
func TestHypercubeIsAsTheFormulasSay(t *testing.T) {
	for _, ranks := range []int{16, 64, 256} {
		log := bits.Len(uint(ranks)) - 1
		p, l := uint64(ranks), uint64(log)
		o := sent(t, ranks, "--coalesce 4096 --termination ordered")
		c := o.Counters
		require.Equal(t, p*(p-1), c.PebblesSent)
		require.Equal(t, p*(p-1), c.PebblesHandled)
		require.Equal(t, p*p/2*l-p*(p-1), c.Forwarded, "hops beyond the first")
		require.Equal(t, 8*p*p/2*l, c.BytesSent)
		require.Equal(t, p*l, c.FramesSent, "one a link")
		require.Equal(t, p*l, c.FlushIdle)
		require.LessOrEqual(t, o.Memory.Buffers, log+1, "one a neighbour, and one that grows")
		require.GreaterOrEqual(t, o.Memory.Buffers, log)

		require.Equal(t, log, sent(t, ranks, "--coalesce 4 --termination ordered").Memory.Buffers,
			"buffers that are whole from the start")
	}
}

// TestDetectionIsAsTheFormulasSay compares messages of detection with package termination: exactly for an epoch of
// known depth, and by whole rounds under skr.
func TestDetectionIsAsTheFormulasSay(t *testing.T) {
	for _, ranks := range []int{16, 64, 256} {
		topology := route.Hypercube(ranks)
		hops, _ := route.Hops(topology)
		site := termination.Site{Ranks: ranks, Depth: 1, Hops: hops, Topology: topology}
		for name, rounds := range map[string]uint64{"nbx": uint64(hops), "pcx": uint64(hops), "pcx-neighbors": uint64(hops),
			"ordered": 1} {
			if ranks == 256 && name != "ordered" && name != "nbx" {
				continue // as for 64, and slow
			}
			c := sent(t, ranks, "--termination "+name).Counters
			each, err := termination.Messages(name, site)
			require.NoError(t, err)
			require.Equal(t, uint64(ranks*each), c.DetectionSent, "%s on %d ranks", name, ranks)
			require.Equal(t, rounds, c.Rounds, "%s on %d ranks", name, ranks)
		}
		c := sent(t, ranks, "--termination skr").Counters
		least, err := termination.Messages("skr", site)
		require.NoError(t, err)
		require.GreaterOrEqual(t, c.Rounds, uint64(2))
		require.Equal(t, c.Rounds*uint64(ranks*hops), c.DetectionSent)
		require.GreaterOrEqual(t, c.DetectionSent, uint64(ranks*least))
	}
}

// TestSimulationByParameters requires that a simulation uses the parameters of pebbles-lab fit, and the saved costs of
// the application's pebbles, for any number of ranks.
func TestSimulationByParameters(t *testing.T) {
	configured(t)
	line := "sim alltoall --ranks 4 --rounds 50 --network fitted"
	r := typed(line)
	require.NotEqual(t, launch.ExitOK, r.Status)
	require.Contains(t, r.Stderr, "run pebbles-lab fit first")
	place, err := machine.ParametersFile()
	require.NoError(t, err)
	file := model.File{Format: model.FileFormat, Parameters: model.Odin}
	file.Parameters.Cores.Count = 2
	require.NoError(t, machine.WriteParameters(place, file))
	r = typed(line)
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	require.Contains(t, r.Stderr, "pebbles-lab fit --app 'alltoall --rounds=50'")

	// 150 pebbles of each of 4 ranks, on 2 cores
	file.Applications = map[string]model.Application{"alltoall --rounds=50": {Send: 1e-3}}
	require.NoError(t, machine.WriteParameters(place, file))
	seconds := func(flags string) any {
		return object(t, strings.Fields(line+flags)...)["seconds"]
	}
	require.InEpsilon(t, 0.3, seconds(""), 0.01)
	require.InEpsilon(t, 0.15, seconds(" --cores 4"), 0.01)
	o := object(t, strings.Fields(line+" --procs 4 --transport tcp")...)
	require.Positive(t, o["simulation"].(map[string]any)["frames_within_host"])

	file.Parameters.Cores.Count = 3
	other := filepath.Join(t.TempDir(), "other.json")
	require.NoError(t, machine.WriteParameters(other, file))
	succeeds(t, strings.Fields("sim epochs --ranks 2 --count 2 -q --network "+other)...)
	r = typed("randomaccess --log2-words 10 --ranks 2 --coalesce auto --topology auto --json") // predicts by them
	require.Zero(t, r.Status, r.Stderr)
}

// TestNetworkByParameters requires that parameters mean the same to a simulation: a single frame takes as long as a
// message of the model.
func TestNetworkByParameters(t *testing.T) {
	l := model.Link{Latency: 30e-6, Overhead: 2e-6, Gap: 3e-6, PerByte: 1e-9, EndPerByte: 2e-10, Batch: 5e-6}
	n := NetworkBy(model.Parameters{Network: l, Frame: 1e-6})
	require.NoError(t, n.Check())
	require.Equal(t, sim.End{PerByte: 2e-10, Batch: 5e-6}, n.Ends.Between)
	require.InDelta(t, l.Interval(), n.Between.Gap, 1e-15)
	alone := n.Between.Latency + 2*(n.Between.Overhead+n.Ends.Between.Batch)
	require.InDelta(t, l.Message(0)+1e-6, alone, 1e-15, "with the frame's own cost")
}
