package trace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// shown is an event in a viewer's form.
type shown struct {
	rank       string // "rank 17"
	row        string // name of its track
	kind, name string
	begin, end uint64
	numbers    map[string]uint64
	instant    bool
}

// track is a track in a viewer's form.
type track struct {
	description message
	open        []shown
	last        uint64
	deepest     int
}

// picture is a viewer's interpretation of a trace. It shares no code with the writers of traces.
type picture struct {
	t        testing.TB
	texts    map[uint64]map[string]map[uint64]string // by sequence and kind of text
	tracks   map[uint64]*track
	events   []shown
	said     []shown // on the tracks of processes, with numbers only
	texted   []map[string]string
	counters map[string][]float64 // by "rank 17 name"
	zeros    []uint64             // of clock snapshots
}

// must fails the test unless a condition holds. It is faster than package require, which matters here.
func (p *picture) must(holds bool, what string) {
	if !holds {
		p.t.Helper()
		require.Fail(p.t, what)
	}
}

// view returns the picture of a trace, and checks the rules that viewers rely on.
func view(t testing.TB, trace []byte) *picture {
	t.Helper()
	p := &picture{
		t: t, texts: map[uint64]map[string]map[uint64]string{}, tracks: map[uint64]*track{}, counters: map[string][]float64{},
	}
	for _, packet := range decode(t, trace) {
		p.packet(packet)
	}
	for _, track := range p.tracks {
		require.Empty(t, track.open, "slices have no end")
	}
	return p
}

func (p *picture) packet(m message) {
	sequence := m.uint("trusted_packet_sequence_id")
	p.must(sequence != 0, "no sequence")
	switch m.uint("sequence_flags") {
	case 1:
		p.texts[sequence] = map[string]map[uint64]string{}
	case 2:
		p.must(p.texts[sequence] != nil, "the sequence has not begun")
	default:
		p.must(false, "other flags")
	}
	if m.has("interned_data") {
		p.intern(sequence, m.part("interned_data"))
	}
	switch {
	case m.has("track_descriptor"):
		p.describe(m.part("track_descriptor"))
	case m.has("track_event"):
		p.event(sequence, m.uint("timestamp"), m.part("track_event"))
	case m.has("clock_snapshot"):
		p.clocks(m.part("clock_snapshot"))
	}
}

func (p *picture) clocks(m message) {
	clocks := m.parts("clocks")
	require.Len(p.t, clocks, 2)
	require.Equal(p.t, []uint64{1, 6}, []uint64{clocks[0].uint("clock_id"), clocks[1].uint("clock_id")})
	require.Equal(p.t, clocks[0].uint("timestamp"), clocks[1].uint("timestamp"))
	p.zeros = append(p.zeros, clocks[0].uint("timestamp"))
}

func (p *picture) intern(sequence uint64, m message) {
	for _, kind := range []string{"event_categories", "event_names", "debug_annotation_names"} {
		for _, entry := range m.parts(kind) {
			if p.texts[sequence][kind] == nil {
				p.texts[sequence][kind] = map[uint64]string{}
			}
			require.NotContains(p.t, p.texts[sequence][kind], entry.uint("iid"), "a text comes twice")
			require.NotEmpty(p.t, entry.text("name"))
			p.texts[sequence][kind][entry.uint("iid")] = entry.text("name")
		}
	}
}

func (p *picture) describe(d message) {
	id := d.uint("uuid")
	require.NotZero(p.t, id)
	if parent := d.uint("parent_uuid"); parent != 0 {
		require.Contains(p.t, p.tracks, parent)
	}
	if p.tracks[id] == nil { // an unchanged description may be repeated
		p.tracks[id] = &track{description: d}
	}
	require.Equal(p.t, p.tracks[id].description.text("name"), d.text("name"))
}

// text returns an interned text.
func (p *picture) text(sequence uint64, kind string, id uint64) string {
	text := p.texts[sequence][kind][id]
	p.must(text != "", "a text is not interned")
	return text
}

func (p *picture) event(sequence, time uint64, m message) {
	track := p.tracks[m.uint("track_uuid")]
	p.must(track != nil, "the track is not described")
	p.must(track.last <= time, "a track is out of order")
	track.last = time
	what := m.enum("type")
	switch what {
	case "Type_TYPE_SLICE_END":
		p.must(len(track.open) > 0, "nothing ends")
		last := len(track.open) - 1
		ended := track.open[last]
		ended.end, track.open = time, track.open[:last]
		p.events = append(p.events, ended)
		return
	case "Type_TYPE_COUNTER":
		require.True(p.t, track.description.has("counter"))
		name := p.rank(track.description) + " " + track.description.text("name")
		p.counters[name] = append(p.counters[name], m.double("double_counter_value"))
		return
	}
	p.must(!track.description.has("counter"), "an event on a counter's track")
	e := shown{begin: time, end: time, numbers: map[string]uint64{}, instant: what == "Type_TYPE_INSTANT"}
	texts := map[string]string{}
	for _, a := range m.parts("debug_annotations") {
		name := a.text("name")
		if name == "" {
			name = p.text(sequence, "debug_annotation_names", a.uint("name_iid"))
		}
		_, is := e.numbers[name]
		p.must(!is, "a number comes twice")
		if a.has("uint_value") {
			e.numbers[name] = a.uint("uint_value")
		} else {
			texts[name] = a.text("string_value")
		}
	}
	if track.description.has("process") {
		require.Equal(p.t, "Type_TYPE_INSTANT", what)
		e.name = m.text("name")
		p.said, p.texted = append(p.said, e), append(p.texted, texts)
		return
	}
	e.rank, e.row = p.rank(track.description), track.description.text("name")
	ids := m.Get(m.field("category_iids")).List()
	p.must(ids.Len() == 1, "not one category")
	e.kind = p.text(sequence, "event_categories", ids.Get(0).Uint())
	e.name = p.text(sequence, "event_names", m.uint("name_iid"))
	if e.instant {
		p.events = append(p.events, e)
		return
	}
	p.must(what == "Type_TYPE_SLICE_BEGIN", "an event of another type")
	track.open = append(track.open, e)
	track.deepest = max(track.deepest, len(track.open))
}

// rank returns the name of the thread above a track, or of the track itself.
func (p *picture) rank(d message) string {
	for !d.has("thread") {
		p.must(d.uint("parent_uuid") != 0, "a track without a rank")
		d = p.tracks[d.uint("parent_uuid")].description
	}
	return d.part("thread").text("thread_name")
}
