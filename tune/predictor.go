package tune

import (
	"math"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// Predictor makes a [Config].Predict from the model for a job: its topology, coalescing factor and cache are those of
// the setting that is asked about. Caches are taken to merge nothing, for how much they merge only a run can show. The
// function caches the shapes of topologies, and belongs to one goroutine.
func Predictor(p model.Parameters, j model.Job) func(Setting) float64 {
	type known struct {
		constructor route.Constructor
		shape       model.Shape
		err         error
	}
	shapes := map[string]*known{}
	return func(s Setting) float64 {
		k := shapes[s.Topology]
		if k == nil {
			k = &known{}
			shapes[s.Topology] = k
			if k.constructor, k.err = route.ByName(s.Topology); k.err == nil {
				k.shape, k.err = model.Survey(k.constructor, j.Ranks, j.Layout)
			}
		}
		if k.err != nil {
			return math.Inf(1)
		}
		job := j
		job.Topology, job.Coalesce = k.constructor, s.Coalesce
		r, err := p.PredictOn(k.shape, job)
		if err != nil {
			return math.Inf(1)
		}
		return r.Seconds
	}
}
