package page

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// These limits keep all metrics together below 1 MiB.
const (
	seriesMost      = 2048 // series in a family
	seriesOfDetails = 256
	byRankMost      = 1024 // ranks with their own series
	pendingMost     = 256  // links
	subsMost        = 256  // values of an application's label; others share one more, otherSubs
	labelMost       = 48   // bytes in such a value
)

const otherSubs = "others"

// metrics returns all families in Prometheus's text format 0.0.4. A family is by rank. It is by process if it would
// have too many series or the job has more than 1,024 ranks, and otherwise for the whole job. That depends only on the
// shape of the job, so series keep their labels.
func metrics(j *state.Job) []byte {
	b := &bytes.Buffer{}
	for i := range families {
		f := &families[i]
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		switch {
		case f.job != nil:
			f.job(j, func(end string, v float64) { writeSample(b, f.name+end, "", v) })
		case f.link != nil:
			f.writeLinks(b, j)
		default:
			f.write(b, j)
		}
	}
	return b.Bytes()
}

// write writes a family whose values belong to ranks or processes.
func (f *family) write(b *bytes.Buffer, j *state.Job) {
	t := &table{subs: f.subs(j), greatest: f.greatest, at: map[series]float64{}}
	group := f.grouping(j, max(1, len(t.subs)))
	f.each(j, func(process, rank int, sub string, v float64) { t.add(group(process, rank), sub, v) })
	for _, s := range t.order {
		writeSample(b, f.name, f.labels(s), t.at[s])
	}
}

// each calls do for every value of a family.
func (f *family) each(j *state.Job, do func(process, rank int, sub string, v float64)) {
	if f.rank != nil {
		ranks(j, func(p *state.Process, r *state.Rank) {
			f.rank(r, func(sub string, v float64) { do(p.Process, r.Rank, cut(sub), v) })
		})
		return
	}
	for i := range j.Processes {
		p := &j.Processes[i]
		f.process(p, func(sub string, v float64) { do(p.Process, -1, cut(sub), v) })
	}
}

// subs returns the values of the family's own label that get their own series, or nil if the family has no such label.
func (f *family) subs(j *state.Job) map[string]bool {
	if f.sub == "" {
		return nil
	}
	subs := map[string]bool{}
	f.each(j, func(_, _ int, sub string, _ float64) {
		if len(subs) < subsMost {
			subs[sub] = true
		}
	})
	return subs
}

// owner is the owner of a series' values: a rank, a process, or the whole job.
type owner struct {
	label  string // "rank", "process" or ""
	number int
}

// grouping returns the owner of the series for each value, in a family with the given number of values for each owner.
func (f *family) grouping(j *state.Job, values int) func(process, rank int) owner {
	most := seriesMost
	if f.detail {
		most = seriesOfDetails
	}
	switch {
	case f.rank != nil && j.Ranks <= byRankMost && j.Ranks*values <= most:
		return func(_, rank int) owner { return owner{"rank", rank} }
	case len(j.Processes) <= byRankMost && len(j.Processes)*values <= most:
		return func(process, _ int) owner { return owner{"process", process} }
	}
	return func(int, int) owner { return owner{} }
}

// series is an owner and a value of the family's own label.
type series struct {
	owner
	sub string
}

// table holds the values of a family by series.
type table struct {
	subs     map[string]bool // values with their own series; nil means all
	greatest bool
	at       map[series]float64
	order    []series // in order of arrival
}

func (t *table) add(o owner, sub string, v float64) {
	if t.subs != nil && !t.subs[sub] {
		sub = otherSubs
	}
	s := series{o, sub}
	before, known := t.at[s]
	switch {
	case !known:
		t.order = append(t.order, s)
		t.at[s] = v
	case t.greatest:
		t.at[s] = max(before, v)
	default:
		t.at[s] = before + v
	}
}

func (f *family) labels(s series) string {
	var all []string
	if s.label != "" {
		all = append(all, s.label+`="`+strconv.Itoa(s.number)+`"`)
	}
	if f.sub != "" {
		all = append(all, f.sub+`="`+escape(s.sub)+`"`)
	}
	return strings.Join(all, ",")
}

// writeLinks writes a family of the fullest links over the whole job.
func (f *family) writeLinks(b *bytes.Buffer, j *state.Job) {
	all := fullest(j, pendingMost)
	slices.SortFunc(all, byEnds)
	t := &table{greatest: f.greatest, at: map[series]float64{}}
	for i := range all {
		l := &all[i]
		labels := fmt.Sprintf(`rank="%d",peer="%d",target="%s"`, l.From, l.To, escape(cut(l.Target)))
		t.add(owner{}, labels, f.link(&l.Link))
	}
	for _, s := range t.order {
		writeSample(b, f.name, s.sub, t.at[s])
	}
}

func writeSample(b *bytes.Buffer, name, labels string, v float64) {
	b.WriteString(name)
	if labels != "" {
		b.WriteString("{" + labels + "}")
	}
	b.WriteByte(' ')
	b.Write(strconv.AppendFloat(b.AvailableBuffer(), v, 'g', -1, 64))
	b.WriteByte('\n')
}

// cut shortens a value of a label, in whole runes of valid UTF-8, which Prometheus requires.
func cut(text string) string {
	if len(text) > labelMost {
		text = text[:labelMost]
	}
	return strings.ToValidUTF8(text, "")
}

var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func escape(text string) string { return escapes.Replace(text) }
