package contagion

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/distribution"
)

// Config is what a simulation can be told. Disease and Population are needed; all ranks of a process share them.
type Config struct {
	Disease       *scenario.Disease
	Population    population.Population
	Interventions []scenario.Intervention // none, or those of a file
	Days          int                     // to simulate; 0 is 30
	Seed          uint64
	Loimos        bool    // draw random numbers as Loimos does
	Contact       Contact // whether persons who meet touch; "" is Constant
	// A person in PerDay is infected on each of the first SeedDays days, whoever it may be. 0 are Loimos's 2 and 10;
	// below 0 is none.
	PerDay, SeedDays int
	// People and Locations spread the people and the locations over the ranks; nil are blocks of equal numbers. All
	// ranks give the same, such as what population.Curve makes.
	People, Locations distribution.Indexed
	Send              Send // "" is Aggregated
	Bundle            int  // visits in a buffer of Manual; 0 is 64
	// Meetings counts who met, which makes locations sweep all visits, those of healthy people, too.
	Meetings bool
	// List gathers all infections on rank 0.
	List bool
	// Twin runs the serial twin on rank 0, too, and compares with it. Without it, only small simulations are compared.
	Twin bool
	// Progress, when not nil, is called on rank 0 after each day.
	Progress func(done, total uint64)
}

// Contact is a rule of whether two persons who are at one place at the same time touch.
type Contact string

// The rules, the first two of which are Loimos's.
const (
	Constant    Contact = "constant"      // half of them do
	MinMaxAlpha Contact = "min-max-alpha" // fewer where many come, by the most that are in a location at one time
	Certain     Contact = "certain"       // all do
)

// Contacts are all rules.
var Contacts = []Contact{Constant, MinMaxAlpha, Certain}

// Send is a way in which visits go to locations.
type Send string

// The ways to send (TRAM, section VI B).
const (
	Aggregated Send = "aggregated" // by targets: buffered for the next hop, and routed
	Manual     Send = "manual"     // by a buffer of the application's for each rank, straight to it
)

// Sends are all ways to send.
var Sends = []Send{Aggregated, Manual}

const (
	daysDefault     = 30
	daysMost        = 1 << 20
	perDayDefault   = 2
	seedDaysDefault = 10
	bundleDefault   = 64
	bundleMost      = 1 << 16
	twinMost        = 1 << 20 // person days that the twin is run for without being asked
)

func (c Config) withDefaults() Config {
	for _, x := range []struct {
		n        *int
		standard int
	}{{&c.Days, daysDefault}, {&c.PerDay, perDayDefault}, {&c.SeedDays, seedDaysDefault}, {&c.Bundle, bundleDefault}} {
		if *x.n == 0 {
			*x.n = x.standard
		}
	}
	c.Contact = cmp.Or(c.Contact, Constant)
	c.Send = cmp.Or(c.Send, Aggregated)
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	if err := c.withDefaults().check(ranks); err != nil {
		return fmt.Errorf("contagion: %w", err)
	}
	return nil
}

func (c Config) check(ranks int) error {
	switch {
	case ranks <= 0:
		return fmt.Errorf("%d ranks: a job has at least one", ranks)
	case c.Disease == nil:
		return fmt.Errorf("no disease: give a model of one")
	case c.Population == nil:
		return fmt.Errorf("no population: give one")
	case c.Days < 1 || c.Days > daysMost:
		return fmt.Errorf("%d days: give 1 to %d, or 0 for %d", c.Days, daysMost, daysDefault)
	case c.Bundle < 1 || c.Bundle > bundleMost:
		return fmt.Errorf("buffers of %d visits: give 1 to %d, or 0 for %d", c.Bundle, bundleMost, bundleDefault)
	case !slices.Contains(Contacts, c.Contact):
		return fmt.Errorf("no rule of contact %q: use one of %s", c.Contact, apps.Names(Contacts))
	case !slices.Contains(Sends, c.Send):
		return fmt.Errorf("no way to send %q: use one of %s", c.Send, apps.Names(Sends))
	case c.Loimos && (c.Population.People() > 1<<30 || c.Seed > math.MaxUint32):
		return fmt.Errorf("%d people and seed %d by Loimos's numbers: give up to %d people, and a seed below 2^32",
			c.Population.People(), c.Seed, 1<<30)
	case c.Contact == MinMaxAlpha && c.Population.Crowd(0) == 0:
		return fmt.Errorf("the rule %s asks how many are in a location at one time, which the population does not say",
			MinMaxAlpha)
	}
	return c.checkParts(ranks)
}

// checkParts checks what must fit the population.
func (c Config) checkParts(ranks int) error {
	for _, i := range c.Interventions {
		if i.OfLocations() && !slices.Contains(c.Population.Kinds(), i.Closed) {
			return fmt.Errorf("an intervention closes locations of kind %q, and the population has the kinds %q",
				i.Closed, c.Population.Kinds())
		}
	}
	for _, x := range []struct {
		what string
		of   distribution.Indexed
		n    int
	}{{"people", c.People, c.Population.People()}, {"locations", c.Locations, c.Population.Locations()}} {
		if x.of != nil && (x.of.Len() != uint64(x.n) || x.of.Ranks() != ranks) {
			return fmt.Errorf("a distribution of %d %s over %d ranks: there are %d %s and %d ranks",
				x.of.Len(), x.what, x.of.Ranks(), x.n, x.what, ranks)
		}
	}
	if !c.Disease.Ages() {
		return nil
	}
	for person := range c.Population.People() {
		if _, err := c.Disease.Start(c.Population.Age(person)); err != nil {
			return err
		}
	}
	return nil
}
