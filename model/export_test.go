package model

import (
	"github.com/activepebbles/pebbles/route"
)

// SurveyBySamples is Survey with its method for many ranks.
func SurveyBySamples(topology route.Constructor, ranks int, layout Layout) (Shape, error) {
	layout, err := layout.complete(ranks)
	if err != nil {
		return Shape{}, err
	}
	t, err := build(topology, ranks, layout)
	if err != nil {
		return Shape{}, err
	}
	s := newSurvey(t, layout)
	err = s.count(false)
	s.findBusiest(topology)
	return s.Shape, err
}
