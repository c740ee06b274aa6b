package distgraph

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/export"
)

// CheckRows returns an error of app if o asks for rows, which are those of one start, and s has several.
func (s Starts) CheckRows(app string, o apps.Output) error {
	n := s.Labels.Len()
	if n == 0 {
		n = cmp.Or(s.Count, s.Default)
	}
	if n == 1 || o == (apps.Output{}) {
		return nil
	}
	return fmt.Errorf("%s: rows are those of one search, and there are %d %s: give one, or draw 1", app, n, s.Name)
}

// VertexColumns returns the rows of this rank's vertices for a file, in the order of labels: the label of each vertex
// and a value. values are a slice as for export.Column, in the order of the source. All ranks call it, between epochs.
func (g *Graph) VertexColumns(name string, values any) ([]export.Column, error) {
	labels, err := g.Labels(g.Own())
	return []export.Column{{Name: "vertex", Values: labels.Column()}, {Name: name, Values: values}}, err
}

// LabelColumns is VertexColumns for values that are labels of vertices, given by their numbers in the source.
func (g *Graph) LabelColumns(name string, numbers []uint64) ([]export.Column, error) {
	labels, err := g.LabelsOf(numbers)
	if err != nil {
		return nil, err
	}
	return g.VertexColumns(name, labels.Column())
}
