// Package contagion simulates the spread of a disease through a population whose people meet at locations
// (EpiSimdemics: TRAM, section VI B; its open successor is Loimos). A day has two epochs. First, persons send a visit,
// a pebble of 36 bytes, to each location that they go to. When all have arrived, a location sweeps the arrivals and
// departures in order of time, and sends an exposure to each susceptible person for each infectious person met. When
// these have arrived, the sum of a person's exposures decides on an infection, and diseases continue.
//
// # The same answer everywhere
//
// A simulation has one answer, bit by bit, on any number of ranks, over any network and with any buffers and caches.
// Random numbers depend only on their use (package chance), a location sorts its visits before the sweep, and
// propensities are added up as whole numbers of 2^-48. The source of an infection is drawn among the exposures by a
// race of waiting times: the shortest wins, which needs neither order nor list. So exposures of one person may be
// merged on their way.
//
// With [Config.Loimos] numbers are drawn as in Loimos, by the engine of each person and each location; the epidemic
// then equals that of Loimos to the last person.
//
// # The proof of the verification
//
// Handlers count visits and exposures, with their fingerprints, and check that they are at their owner; merged
// exposures must add up to those sent. On each day all people must be in some state. For a small simulation, rank 0
// also runs its serial twin, whose curve and infections must be the same.
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

// Config configures a simulation. Disease and Population are required; all ranks of a process share them.
type Config struct {
	apps.Common   // Progress counts days
	Disease       *scenario.Disease
	Population    population.Population
	Interventions []scenario.Intervention // none, or those of a file
	Days          int                     // to simulate; 0 means 30
	Loimos        bool                    // draw random numbers as Loimos does
	Contact       Contact                 // rule of contact of persons who meet; "" means Constant
	// PerDay persons, drawn at random, are infected on each of the first SeedDays days. 0 means Loimos's 2 and 10;
	// below 0 means none.
	PerDay, SeedDays int
	// People and Locations spread the people and the locations over the ranks; nil means blocks of equal numbers. They
	// are the same on all ranks, for example from population.Curve.
	People, Locations distribution.Indexed
	Send              Send // "" means Aggregated
	Bundle            int  // visits in a buffer of Manual; 0 means 64
	// Meetings counts meetings. Locations then sweep all visits, even those of healthy people.
	Meetings bool
	// List gathers all infections on rank 0.
	List bool
	// Twin also runs the serial twin on rank 0, for comparison. Otherwise only small simulations are compared.
	Twin bool
}

// Contact is a rule for contacts between persons at one place at the same time.
type Contact string

// The rules. The first two are Loimos's.
const (
	Constant    Contact = "constant"      // half of the meetings
	MinMaxAlpha Contact = "min-max-alpha" // a share that falls with the largest crowd of the location
	Certain     Contact = "certain"       // all meetings
)

// Contacts are all rules.
var Contacts = []Contact{Constant, MinMaxAlpha, Certain}

// Send is the way that visits go to locations.
type Send string

// The ways to send (TRAM, section VI B).
const (
	Aggregated Send = "aggregated" // by targets: buffered for the next hop, and routed
	Manual     Send = "manual"     // by a buffer of the application for each rank, directly to it
)

// Sends are all ways to send.
var Sends = []Send{Aggregated, Manual}

const (
	daysDefault   = 30
	daysMost      = 1 << 20
	bundleDefault = 64
	bundleMost    = 1 << 16
	twinMost      = 1 << 20 // largest number of person days for which the twin runs by default
)

func (c Config) withDefaults() Config {
	c.Days = cmp.Or(c.Days, daysDefault)
	c.PerDay = cmp.Or(c.PerDay, 2)
	c.SeedDays = cmp.Or(c.SeedDays, 10)
	c.Bundle = cmp.Or(c.Bundle, bundleDefault)
	c.Contact = cmp.Or(c.Contact, Constant)
	c.Send = cmp.Or(c.Send, Aggregated)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	if err := c.withDefaults().check(ranks); err != nil {
		return fmt.Errorf("contagion: %w", err)
	}
	return nil
}

func (c Config) check(ranks int) error {
	switch {
	case c.Disease == nil:
		return fmt.Errorf("no disease: give a model of one")
	case c.Population == nil:
		return fmt.Errorf("no population: give one")
	case c.Days < 1 || c.Days > daysMost:
		return fmt.Errorf("%d days: give 1 to %d", c.Days, daysMost)
	case c.Bundle < 1 || c.Bundle > bundleMost:
		return fmt.Errorf("buffers of %d visits: give 1 to %d", c.Bundle, bundleMost)
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

// checkParts checks the settings that depend on the population.
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
			return fmt.Errorf("a distribution of %d %s over %d ranks, but the job has %d %s and %d ranks",
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

// Result is the report of a simulation.
type Result struct {
	apps.Report
	Disease         string      `json:"disease"`
	Population      string      `json:"population"`
	People          int         `json:"people"`
	Locations       int         `json:"locations"`
	Days            int         `json:"days"`
	Loimos          bool        `json:"loimos"`
	Send            Send        `json:"send"`
	Visits          uint64      `json:"visits"`     // of all people on all days
	OwnVisits       uint64      `json:"own_visits"` // of these, to locations of the person's own rank
	Refused         uint64      `json:"refused"`    // visits to closed locations
	Exposures       uint64      `json:"exposures"`  // pairs of a susceptible and an infectious person
	Infected        uint64      `json:"infected"`   // number of infections
	Meetings        uint64      `json:"meetings"`   // pairs of visits that overlapped; 0 if not counted
	Contacts        uint64      `json:"contacts"`   // of these, the mean number of contacts
	VisitsPerSecond float64     `json:"visits_per_second"`
	Bundles         int64       `json:"bundle_bytes"` // of the buffers of one rank with Manual
	Checksum        string      `json:"checksum"`     // of all infections, 16 hexadecimal digits
	Twin            bool        `json:"twin"`         // the serial twin was run and compared
	Curve           []Row       `json:"curve"`        // by day and state
	Infections      []Infection `json:"-"`            // on rank 0, if Config.List is set: by day and person
}

// Row is the number of people in a state at the end of a day. A curve has rows of the states that have people, or had
// some on the day before.
type Row struct {
	Day    int    `json:"day"`
	State  string `json:"state"`
	Total  int64  `json:"total"`
	Change int64  `json:"change"`
}

// totals are the counts of ranks.
type totals struct {
	Made, Stayed, Refused, Exposures, Infected, Meetings, Contacts, Sum uint64
}

// totals returns the counts of a part.
func (p *part) totals() totals {
	return totals{
		Made: p.made, Stayed: p.stayed, Refused: p.refused, Exposures: p.got.Count, Infected: uint64(len(p.infections)),
		Meetings: p.sweeper.meetings, Contacts: p.sweeper.contacts, Sum: sumOf(p.infections),
	}
}

func (t totals) plus(o totals) totals {
	return totals{
		t.Made + o.Made, t.Stayed + o.Stayed, t.Refused + o.Refused, t.Exposures + o.Exposures, t.Infected + o.Infected,
		t.Meetings + o.Meetings, t.Contacts + o.Contacts, t.Sum + o.Sum,
	}
}

// describe sets the fields known before a run.
func (r *Result) describe(c Config) {
	p := c.Population
	r.Disease, r.Population, r.People, r.Locations = c.Disease.Label, p.Name(), p.People(), p.Locations()
	r.Days, r.Loimos, r.Send = c.Days, c.Loimos, c.Send
}

// count sets the fields with the counts of all ranks.
func (r *Result) count(c Config, curve [][]uint64, t totals) {
	r.Visits, r.OwnVisits, r.Refused, r.Exposures, r.Infected = t.Made, t.Stayed, t.Refused, t.Exposures, t.Infected
	r.Meetings, r.Contacts, r.Checksum = t.Meetings, t.Contacts, fmt.Sprintf("%016x", t.Sum)
	r.Curve = r.Curve[:0]
	before := make([]uint64, len(c.Disease.States))
	for day, counts := range curve {
		for state, n := range counts {
			if n != 0 || before[state] != 0 {
				r.Curve = append(r.Curve, Row{day, c.Disease.States[state].Label, int64(n), int64(n - before[state])})
			}
		}
		before = counts
	}
}

func sumOf(all []Infection) (sum uint64) {
	for _, i := range all {
		sum += i.fingerprint()
	}
	return sum
}

func sortInfections(all []Infection) {
	slices.SortFunc(all, func(a, b Infection) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day),
			cmp.Compare(a.Person, b.Person))
	})
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	own := 0.0
	if r.Visits > 0 {
		own = 100 * float64(r.OwnVisits) / float64(r.Visits)
	}
	rows := [][2]string{
		{"disease", r.Disease},
		{"population", r.Population},
		{"days", fmt.Sprint(r.Days)},
		{"visits", fmt.Sprintf("%d, %.1f %% of them on their own rank", r.Visits, own)},
		{"visits a second", fmt.Sprintf("%.3g million", r.VisitsPerSecond/1e6)},
		{"exposures", fmt.Sprint(r.Exposures)},
		{"infected", fmt.Sprint(r.Infected)},
	}
	if r.Meetings > 0 {
		rows = append(rows, [2]string{"meetings", fmt.Sprintf("%d, of which %d touch in the mean", r.Meetings,
			r.Contacts)})
	}
	if r.Bundles > 0 {
		rows = append(rows, [2]string{"buffers by hand", fmt.Sprintf("%d bytes a rank", r.Bundles)})
	}
	return append(rows, r.TwinRow(r.Twin), [2]string{"checksum", r.Checksum})
}
