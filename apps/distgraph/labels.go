package distgraph

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Labels are the labels of some vertices in a graph's source: ids, or names. In JSON they are numbers or strings.
type Labels struct {
	IDs   []uint64 // nil if vertices have names
	Names []string // nil if vertices have ids
}

// IDs returns ids as Labels.
func IDs(ids ...uint64) Labels { return Labels{IDs: ids} }

// Len returns the number of labels.
func (l Labels) Len() int { return max(len(l.IDs), len(l.Names)) }

// At returns the i-th label.
func (l Labels) At(i int) Label {
	if l.Names != nil {
		return Label{Name: l.Names[i], IsName: true}
	}
	return Label{ID: l.IDs[i]}
}

// Column returns the labels as the values of a column: a []uint64 or a []string, which aliases l.
func (l Labels) Column() any {
	if l.Names != nil {
		return l.Names
	}
	return l.IDs
}

// MarshalJSON implements json.Marshaler.
func (l Labels) MarshalJSON() ([]byte, error) {
	if l.Names != nil {
		return json.Marshal(l.Names)
	}
	return json.Marshal(l.IDs)
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *Labels) UnmarshalJSON(text []byte) error {
	*l = Labels{}
	if json.Unmarshal(text, &l.IDs) == nil {
		return nil
	}
	l.IDs = nil
	return json.Unmarshal(text, &l.Names)
}

// A Label is the label of one vertex in a graph's source.
type Label struct {
	ID     uint64
	Name   string
	IsName bool
}

func labelOf[N name](n N) Label {
	if id, isID := any(n).(uint64); isID {
		return Label{ID: id}
	}
	return Label{Name: any(n).(string), IsName: true}
}

// String returns the id, or the name. A name is quoted if it is empty or has spaces, quotes or unprintable characters.
func (l Label) String() string {
	if !l.IsName {
		return strconv.FormatUint(l.ID, 10)
	}
	if l.Name == "" || strings.ContainsFunc(l.Name, func(c rune) bool {
		return c == '"' || unicode.IsSpace(c) || !unicode.IsPrint(c)
	}) {
		return strconv.Quote(l.Name)
	}
	return l.Name
}

// Format implements fmt.Formatter. It writes String for every verb, even %d.
func (l Label) Format(to fmt.State, _ rune) { _, _ = to.Write([]byte(l.String())) }

// MarshalJSON implements json.Marshaler.
func (l Label) MarshalJSON() ([]byte, error) {
	if l.IsName {
		return json.Marshal(l.Name)
	}
	return json.Marshal(l.ID)
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *Label) UnmarshalJSON(text []byte) error {
	*l = Label{}
	if json.Unmarshal(text, &l.ID) == nil {
		return nil
	}
	*l = Label{IsName: true}
	return json.Unmarshal(text, &l.Name)
}

// ownLabels are the labels of this rank's vertices in the source, by number: ids, names, or neither if a vertex's id is
// its number plus base.
type ownLabels struct {
	ids     []uint64
	names   []string
	base    uint64
	isNamed bool
}

func (o ownLabels) kind() string {
	if o.isNamed {
		return "names"
	}
	return "ids"
}

// Own returns the indices of this rank's vertices in the order of the source. The vertices of all ranks, one rank after
// the other, are in ascending order of ids, or of the bytes of names.
func (g *Graph) Own() []uint64 {
	all := make([]uint64, g.Local)
	for number := range all {
		all[number] = g.First + g.part.Place(uint64(number))
	}
	return all
}

// Labels returns the labels of vertices, by index. All ranks call it, between epochs, each with any vertices. For an
// index without a vertex it returns the index as an id, or the empty name. It costs two pebbles for each vertex of
// another rank, even if ids follow from indices.
func (g *Graph) Labels(indices []uint64) (Labels, error) { return g.labels(indices, g.part.Number) }

// LabelsOf is Labels for vertices given by number, their place in the source.
func (g *Graph) LabelsOf(numbers []uint64) (Labels, error) {
	return g.labels(numbers, func(number uint64) uint64 { return number })
}

// labels returns the labels of vertices. number returns the number of this rank's vertex at a place.
func (g *Graph) labels(of []uint64, number func(at uint64) uint64) (Labels, error) {
	if g.own.isNamed {
		names, err := ask(g, of, func(at uint64) string { return g.own.names[number(at)] })
		return Labels{Names: names}, err
	}
	ids, err := ask(g, of, func(at uint64) uint64 {
		if g.own.ids != nil {
			return g.own.ids[number(at)]
		}
		return g.own.base + g.First + number(at)
	})
	for i, v := range of {
		if v >= g.Vertices {
			ids[i] = v
		}
	}
	return Labels{IDs: ids}, err
}

// asked is the question for the label of a vertex, the At-th that a rank asks.
type asked struct{ Vertex, At uint64 }

// ask sends a question about each vertex to its owner, which answers by the place in its block. It is an epoch.
func ask[N name](g *Graph, of []uint64, answer func(at uint64) N) ([]N, error) {
	all, missing := make([]N, len(of)), uint64(0)
	var options []target.Option
	for _, codec := range codecOf[N](pebble.Strings{}) {
		options = append(options, target.Coded(codec))
	}
	questions := target.NewAskBatch(g.Rank, targetOnce(g.Rank, "labels"), g.Owner,
		target.Key(func(q asked) uint64 { return q.Vertex }),
		func(qs []asked, as []N) {
			for i, q := range qs {
				as[i] = answer(q.Vertex - g.First)
			}
		},
		func(qs []asked, as []N) {
			missing -= uint64(len(qs))
			for i, q := range qs {
				all[q.At] = as[i]
			}
		}, options...)
	defer questions.Free()
	err := g.Rank.Epoch(func() error {
		out := make([]asked, 0, edgesAtOnce)
		for i, v := range of {
			if g.Owns(v) {
				all[i] = answer(v - g.First)
			} else if v < g.Vertices {
				out = append(out, asked{v, uint64(i)})
			}
			if len(out) == cap(out) || i == len(of)-1 {
				missing += uint64(len(out))
				questions.SendAll(out)
				out = out[:0]
			}
		}
		return nil
	}, pebble.Depth(2), pebble.Named("labels"))
	if err != nil {
		return nil, err
	}
	if missing, err = apps.Sum(g.Rank, missing); err == nil && missing != 0 {
		err = fmt.Errorf("graph %s: %d questions for labels have no answer, or two", g.Name, missing)
	}
	return all, err
}
