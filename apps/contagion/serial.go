package contagion

import "slices"

// Serial is the simulation without a job: one goroutine that has all people and locations. It shares the rules of
// people and locations with Run, and has nothing of its messages. The result has no times, and no infections unless
// Config.List says so.
func Serial(c Config) (Result, error) {
	c.People, c.Locations = nil, nil
	if err := c.Check(1); err != nil {
		return Result{}, err
	}
	c = c.withDefaults()
	p := newPart(newRules(c, 1), 0)
	for day := range c.Days {
		p.begin(day, p.newly)
		p.open()
		p.visit(day, func(vs []visit) { p.take(vs) })
		p.meet(day, func(xs []exposure) { p.expose(xs) })
		p.decide(day)
	}
	r := Result{}
	r.describe(c)
	r.count(c, p.curve, p.totals())
	if c.List {
		r.Infections = slices.Clone(p.infections)
		sortInfections(r.Infections)
	}
	return r, nil
}
