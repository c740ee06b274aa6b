package tune

import (
	"math"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// Predictor makes a [Config].Predict from the model for a job: its topology, coalescing factor and cache are those of
// the setting that is asked about. Caches are taken to merge nothing, for how much they merge only a run can show. The
// function keeps the shapes of topologies, and belongs to one goroutine.
func Predictor(p model.Parameters, j model.Job) func(Setting) float64 {
	shapes := map[string]*model.Shape{} // nil where the model knows none
	return func(s Setting) float64 {
		constructor, err := route.ByName(s.Topology)
		shape, known := shapes[s.Topology]
		if !known && err == nil {
			if surveyed, err := model.Survey(constructor, j.Ranks, j.Layout); err == nil {
				shape = &surveyed
			}
			shapes[s.Topology] = shape
		}
		if shape == nil {
			return math.Inf(1)
		}
		job := j
		job.Topology, job.Coalesce = constructor, s.Coalesce
		r, err := p.PredictOn(*shape, job)
		if err != nil {
			return math.Inf(1)
		}
		return r.Seconds
	}
}
