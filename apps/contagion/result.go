package contagion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a simulation tells.
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
	Exposures       uint64      `json:"exposures"`  // of susceptible people, each to an infectious one
	Infected        uint64      `json:"infected"`   // persons were, as often as they were
	Meetings        uint64      `json:"meetings"`   // pairs of visits that overlapped; 0 if they were not counted
	Contacts        uint64      `json:"contacts"`   // of these, as many as touch in the mean
	VisitsPerSecond float64     `json:"visits_per_second"`
	Bundles         int64       `json:"bundle_bytes"` // of the buffers of one rank that sends manually
	Checksum        string      `json:"checksum"`     // of all infections, 16 hexadecimal digits
	Twin            bool        `json:"twin"`         // the serial twin was run, and compared with
	Curve           []Row       `json:"curve"`        // by day and state
	Infections      []Infection `json:"-"`            // on rank 0, if Config.List asks for them: by day and person
}

// Row is how many people are in a state at the end of a day. A curve has rows of states that somebody is in, or was
// on the day before.
type Row struct {
	Day    int    `json:"day"`
	State  string `json:"state"`
	Total  int64  `json:"total"`
	Change int64  `json:"change"`
}

// totals are what ranks have counted.
type totals struct {
	Made, Stayed, Refused, Exposures, Infected, Meetings, Contacts, Sum uint64
}

// totals are those of a part.
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

// describe fills in what is known before a run.
func (r *Result) describe(c Config) {
	p := c.Population
	r.Disease, r.Population, r.People, r.Locations = c.Disease.Label, p.Name(), p.People(), p.Locations()
	r.Days, r.Loimos, r.Send = c.Days, c.Loimos, c.Send
}

// count fills in what was counted on all ranks.
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

// Rows is the result for display: labels and values.
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
	twin := "not run"
	if r.Twin {
		twin = "the same"
		if r.Errors > 0 {
			twin = "compared with"
		}
	}
	return append(rows, [2]string{"serial twin", twin}, [2]string{"checksum", r.Checksum})
}
