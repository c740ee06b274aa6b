package model

import "github.com/activepebbles/pebbles/route"

// SurveyBySamples is Survey as it is where there are many ranks.
func SurveyBySamples(topology route.Constructor, ranks int, layout Layout) (Shape, error) {
	s, err := newSurvey(topology, ranks, layout)
	if err != nil {
		return Shape{}, err
	}
	err = s.bySamples(topology)
	return s.Shape, err
}
