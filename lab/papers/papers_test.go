package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newLab(t *testing.T) *simulator {
	return &simulator{
		ctx: t.Context(), log: io.Discard, small: true,
		known: map[string]outcome{}, paged: map[string]treadmarks.Result{},
	}
}

// Every figure can be drawn with few ranks, with its plots.
func TestQuick(t *testing.T) {
	if raceDetector {
		t.Skip("simulated ranks take turns: there is nothing to detect, and it takes minutes")
	}
	file := filepath.Join(t.TempDir(), "papers.json")
	var out, log bytes.Buffer
	require.NoError(t, command.Call(t.Context(), []string{"-small", "-out", file}, &out, &log))
	for _, f := range figures() {
		require.Contains(t, out.String(), f.name+"\n\n")
	}
	results, err := lab.Read(file)
	require.NoError(t, err)
	files, err := plots.Write(t.TempDir(), results)
	require.NoError(t, err)
	require.Len(t, files, len(figures())-6) // six are only tables
}

// A page gets a section for each figure; other sections are unchanged.
func TestPage(t *testing.T) {
	folder := t.TempDir()
	page := filepath.Join(folder, "papers.md")
	before := "# Title\n\n<!-- begin bfs -->\nkept\n<!-- end bfs -->\n\nwords\n"
	require.NoError(t, os.WriteFile(page, []byte(before), 0o644))
	d := drawing{axis: "ranks", unit: "s"}
	c := d.curve("one")
	c.add(1, 2)
	c.add(2, 3)
	d.say("told")
	s := &lab.Session{Page: page, Out: filepath.Join(folder, "papers.json"), Stdout: io.Discard}
	require.NoError(t, publish(s, figures()[0], d, &lab.Results{Format: lab.Format}))
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), before))
	require.Contains(t, string(text), "<!-- begin randomaccess -->\n\ntold\n\n![RandomAccess on more and more ranks "+
		"of Odin (Active Pebbles, figure 3a)](plots/papers-randomaccess.svg)\n")
}

func TestMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"-small -page x": "leave out -small", "-only nosuch": "matches no figure", "-only (": "-only",
		"more": "no such argument",
	} {
		err := command.Call(t.Context(), strings.Fields(line), io.Discard, io.Discard)
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, new(lab.UsageError))
	}
}

// With Odin's parameters and the paper's epochs, direct sends are faster on few ranks and a hypercube on many, if the
// epoch ends stage by stage. There each rank sends about a frame per epoch to each neighbour (Active Pebbles, section
// 5.2 and figure 3a).
func TestCrossingOfRandomAccess(t *testing.T) {
	if raceDetector {
		t.Skip("simulated ranks take turns: there is nothing to detect, and it takes minutes")
	}
	l := newLab(t)
	run := func(ranks int, w way) outcome {
		return l.run(odin(ranks, w, 0), updates(1, lookAhead))
	}
	direct, routed, ordered := ways[0], ways[1], ways[2]
	require.Less(t, run(16, direct).Seconds, run(16, routed).Seconds)
	require.Less(t, run(256, routed).Seconds, run(256, direct).Seconds)
	require.Less(t, run(64, ordered).Seconds, run(64, direct).Seconds)
	require.InDelta(t, math.Log2(64), run(64, ordered).perRank(run(64, ordered).Counters.FramesSent), 1)
}

// A simulated element that stands for many takes about their time.
func TestCoarse(t *testing.T) {
	if raceDetector {
		t.Skip("simulated ranks take turns: there is nothing to detect, and it takes minutes")
	}
	for _, w := range ways[:2] {
		require.InDelta(t, 1, coarseness(newLab(t), w, 16, 10), 0.25, "%v", w)
	}
}

func TestCrossing(t *testing.T) {
	above := &curve{at: []float64{1, 2, 4, 8}, is: []float64{1, 2, 4, 8}}
	for _, c := range []struct {
		below []float64
		want  float64
	}{
		{[]float64{.5, 1, 1, 1}, 0},
		{[]float64{2, 2, 2, 2}, 2}, // equal there
		{[]float64{3, 3, 3, 3}, 3}, // between 2 and 4, since both curves are straight on logarithmic scales
		{[]float64{2, 1, 5, 5}, 5}, // the first crossing does not last
		{[]float64{2, 4, 8, 16}, math.Inf(1)},
	} {
		got := crossing(above, &curve{at: above.at, is: c.below})
		if math.IsInf(c.want, 1) {
			require.Equal(t, c.want, got)
			continue
		}
		require.InDelta(t, c.want, got, 1e-9)
	}
}

// A machine of both the simulation and the model has the same parameters in both.
func TestMachinesAreAlike(t *testing.T) {
	for name, p := range map[string]model.Parameters{"odin": model.Odin, "bluegene-q": model.BlueGeneQ} {
		n := sim.Machines[name]
		for simulated, modelled := range map[sim.Link]model.Link{n.Process: p.Process, n.Host: p.Host,
			n.Between: p.Network} {
			require.Equal(t, model.Link{
				Latency: simulated.Latency, Overhead: simulated.Overhead, Gap: simulated.Gap,
				PerByte: simulated.PerByte,
			}, modelled)
		}
		require.Equal(t, [3]float64{p.Pebble.Send, p.Pebble.Handle, p.Pebble.Forward},
			[3]float64{n.Costs.Send, n.Costs.Handle, n.Costs.Pass})
	}
}

// The routes that make a rank busy are sound, and most of them pass rank 0.
func TestClearing(t *testing.T) {
	made, err := topologyOf(clearingName)
	require.NoError(t, err)
	_, err = route.Check(made(64))
	require.NoError(t, err)
	through := 0
	for at := range 64 {
		for dest := range 64 {
			for here := at; here != dest; here = made(64).Next(here, dest) {
				through += 1 - min(1, here)
			}
		}
	}
	// ranks without a common bit, in three of four cases for each bit: 3^6, minus those for rank 0
	require.Equal(t, 729-64, through)
}
