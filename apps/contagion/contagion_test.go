package contagion

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// flu is a disease that many catch.
const flu = `
label: "flu" transmissibility: 4
starting_states: { starting_state: 0 }
disease_states: { state_label: "S" susceptibility: 1 exposure_transition: { transitions: { next_state: 1 } } }
disease_states: { state_label: "E" timed_transition: {
	transitions: { next_state: 2 with_prob: 1 fixed: { time_in_state: { days: 1 } } } } }
disease_states: { state_label: "I" infectivity: 1 symptomatic: true timed_transition: {
	transitions: { next_state: 3 with_prob: 0.5 normal: { tmean: { days: 3 } tvariance: { days: 1 } } }
	transitions: { next_state: 3 with_prob: 0.5 uniform: { tmin: { days: 1 } tmax: { days: 4 } } }
} }
disease_states: { state_label: "R" }
`

// measures are interventions of all kinds.
const measures = `
triggers: { new_daily_cases: { trigger_on: 0.01 trigger_off: 0.005 } }
triggers: { day: { trigger_on: 2 trigger_off: 6 } }
person_interventions: { compliance: 0.5 trigger_index: 0 self_isolation: {} }
person_interventions: { compliance: 0.3 trigger_index: 1
	vaccination: { probability: 0.5 vaccinated_susceptibility: 0.1 } }
location_interventions: { compliance: 0.9 trigger_index: 0 school_closures: {} }
`

func town(t testing.TB, c population.TownConfig) *population.Town {
	t.Helper()
	p, err := population.NewTown(c)
	require.NoError(t, err)
	return p
}

func interventions(t testing.TB) []scenario.Intervention {
	t.Helper()
	all, err := scenario.ReadInterventions([]byte(measures))
	require.NoError(t, err)
	return all
}

// little is a simulation that takes some milliseconds.
func little(t testing.TB, seed uint64) Config {
	return Config{
		Disease: diseaseOf(t, flu), Population: town(t, population.TownConfig{People: 300, Locations: 60,
			Seed: seed}), Days: 4, PerDay: 8, Seed: seed,
		List: true,
	}
}

// ways are configurations of all kinds.
func ways(t *testing.T) map[string]Config {
	seed := rand.Uint64N(1 << 32)
	t.Log("seed", seed)
	of := func(change func(c *Config)) Config {
		c := little(t, seed)
		change(&c)
		return c
	}
	return map[string]Config{
		"plain":         of(func(c *Config) {}),
		"Loimos":        of(func(c *Config) { c.Loimos = true }),
		"interventions": of(func(c *Config) { c.Interventions = interventions(t) }),
		"Loimos, interventions": of(func(c *Config) {
			c.Interventions, c.Loimos = interventions(t), true
		}),
		"by hand":  of(func(c *Config) { c.Send, c.Bundle = Manual, 7 }),
		"meetings": of(func(c *Config) { c.Meetings, c.Contact = true, Certain }),
	}
}

// sameAs requires that a run has the answer of the serial twin.
func sameAs(t *testing.T, want, got Result) {
	t.Helper()
	require.Zero(t, got.Errors, got.Wrong)
	require.Zero(t, apart(want, got))
	require.True(t, got.Twin)
}

// The answer is that of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	all := []Config{}
	for _, c := range ways(t) {
		all = append(all, c)
	}
	twins := make([]Result, len(all))
	for i, c := range all {
		var err error
		twins[i], err = Serial(c)
		require.NoError(t, err)
		require.Greater(t, twins[i].Infected, uint64(30))
	}
	turn := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		turn++
		c, want := all[turn%len(all)], twins[turn%len(all)]
		for rank, got := range appstest.All(t, s, Run, c) {
			sameAs(t, want, got)
			if rank == 0 {
				require.Equal(t, want.Infections, got.Infections)
			} else {
				require.Empty(t, got.Infections)
			}
			if c.Send == Manual {
				require.EqualValues(t, s.Ranks*7*36, got.Bundles)
			}
		}
	})
}

// Every way to simulate has the same answer on any number of ranks, over the transports and in simulated time.
func TestEverywhere(t *testing.T) {
	for name, c := range ways(t) {
		want, err := Serial(c)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, got Result) { sameAs(t, want, got) })
		})
	}
}

// runOn runs on ranks of this process.
func runOn(t *testing.T, ranks int, c Config) (got Result) {
	t.Helper()
	s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		result, err := Run(r, c)
		if r.ID() == 0 {
			got = result
		}
		return err
	}))
	return got
}

// Every way to simulate has the same answer on four ranks.
func TestRanksAgree(t *testing.T) {
	for name, c := range ways(t) {
		want, err := Serial(c)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) { sameAs(t, want, runOn(t, 4, c)) })
	}
}

// The curve of Loimos comes out on any number of ranks.
func TestLoimosOnRanks(t *testing.T) {
	c := syn(t)
	want := string(loimos(t, "test-syn.csv"))
	for _, ranks := range []int{1, 2, 4, 7} {
		got := runOn(t, ranks, c)
		require.Zero(t, got.Errors, got.Wrong)
		require.Equal(t, want, lines(got.Curve), "%d ranks", ranks)
	}
}

// Ranks of a region of the town have the same answer, and keep more visits to themselves.
func TestCurveKeepsVisits(t *testing.T) {
	c := little(t, 1)
	c.Population = town(t, population.TownConfig{People: 4000, Locations: 1000, Seed: 1})
	blocks := runOn(t, 7, c)
	var err error
	c.People, c.Locations, err = population.Curve(c.Population, 7)
	require.NoError(t, err)
	curve := runOn(t, 7, c)
	require.Zero(t, curve.Errors, curve.Wrong)
	require.Zero(t, apart(blocks, curve))
	t.Log(blocks.OwnVisits, curve.OwnVisits, blocks.Visits)
	require.Greater(t, curve.OwnVisits, blocks.OwnVisits)
}

// safeRisky starts by age, infects whoever touches, and lasts three days.
const safeRisky = `
label: "safe and risky" transmissibility: 1
starting_states: { lower: 0 upper: 50 starting_state: 3 }
starting_states: { lower: 51 upper: 100 starting_state: 0 }
disease_states: { state_label: "safe" susceptibility: 100000 exposure_transition: { transitions: { next_state: 1 } } }
disease_states: { state_label: "safe and ill" infectivity: 1
	timed_transition: { transitions: { next_state: 2 with_prob: 1 fixed: { time_in_state: { days: 3 } } } } }
disease_states: { state_label: "safe and immune" }
disease_states: { state_label: "risky" susceptibility: 100000 exposure_transition: { transitions: { next_state: 4 } } }
disease_states: { state_label: "risky and ill" infectivity: 1
	timed_transition: { transitions: { next_state: 5 with_prob: 1 fixed: { time_in_state: { days: 3 } } } } }
disease_states: { state_label: "risky and immune" }
`

// Of people whose visits never meet, nobody is infected who is safe, but the outbreak's; of the others all are.
func TestSafeAndRisky(t *testing.T) {
	camps, err := population.Camps(2000, 1500)
	require.NoError(t, err)
	seed := rand.Uint64()
	t.Log("seed", seed)
	got := runOn(t, 4, Config{Disease: diseaseOf(t, safeRisky), Population: camps, Days: 20, Seed: seed, List: true})
	require.Zero(t, got.Errors, got.Wrong)
	safe, risky := 0, 0
	for _, i := range got.Infections {
		if i.Person < 2000 {
			risky++
			continue
		}
		require.Negative(t, i.By, i)
		safe++
	}
	require.Equal(t, 2000, risky)
	require.LessOrEqual(t, safe, 20)
	ends := map[string]int64{}
	for _, row := range got.Curve {
		if row.Day == 19 {
			ends[row.State] = row.Total
		}
	}
	require.Equal(t, map[string]int64{"risky and immune": 2000, "safe": int64(1500 - safe),
		"safe and immune": int64(safe)}, ends)
}

// Who has infected somebody was infectious then, and at that location at that time; so was who was infected.
func TestInfectionsAreOfMeetings(t *testing.T) {
	c := little(t, 5)
	got, err := Serial(c)
	require.NoError(t, err)
	since := map[int64]int32{}
	for _, i := range got.Infections {
		since[i.Person] = i.Day
	}
	at := func(person int64, i Infection) bool {
		for _, v := range c.Population.Visits(nil, int(person), int(i.Day)%7) {
			if int64(v.Location) == i.Location && v.Arrive <= i.Start && i.Start < v.Depart {
				return true
			}
		}
		return false
	}
	others := 0
	for _, i := range got.Infections {
		if i.By < 0 {
			require.Less(t, i.Day, int32(10))
			continue
		}
		others++
		require.Less(t, since[i.By], i.Day-1, "a day passes until who was infected is infectious")
		require.True(t, at(i.Person, i) && at(i.By, i), i)
	}
	require.Positive(t, others)
}

// Interventions lower the number of infected people, each on its own.
func TestInterventionsHelp(t *testing.T) {
	c := little(t, 3)
	c.Population = town(t, population.TownConfig{People: 3000, Locations: 750, Seed: 3})
	c.Days = 12
	plain, err := Serial(c)
	require.NoError(t, err)
	for _, i := range interventions(t) {
		i.Compliance, i.Trigger, i.Probability = 1, scenario.Trigger{}, 1
		c.Interventions = []scenario.Intervention{i}
		got, err := Serial(c)
		require.NoError(t, err)
		require.Less(t, got.Infected, plain.Infected, i)
		require.Equal(t, i.Kind == scenario.Closure, got.Refused > 0)
		require.Equal(t, i.Kind == scenario.Isolation, got.Visits < plain.Visits)
	}
}

// An epidemic without an outbreak has no day that is unlike another.
func TestNoOutbreak(t *testing.T) {
	c := little(t, 1)
	c.PerDay = -1
	got := runOn(t, 3, c)
	require.Zero(t, got.Errors)
	require.Zero(t, got.Infected+got.Exposures)
	require.Len(t, got.Curve, c.Days)
}

func TestProgressIsTold(t *testing.T) {
	c, days := little(t, 1), uint64(0)
	c.Progress = func(done, total uint64) {
		days++
		require.Equal(t, []uint64{days, 4}, []uint64{done, total})
	}
	got := runOn(t, 2, c)
	require.EqualValues(t, 4, days)
	require.Len(t, got.Rows(), 9)
	c.Meetings, c.Send, c.Progress = true, Manual, nil
	require.Len(t, runOn(t, 2, c).Rows(), 11)
}

// More ranks than people and locations.
func TestFewPeople(t *testing.T) {
	c := little(t, 1)
	c.Population = town(t, population.TownConfig{People: 3, Locations: 2, VisitsPerDay: 9})
	want, err := Serial(c)
	require.NoError(t, err)
	require.EqualValues(t, 3, want.Infected)
	sameAs(t, want, runOn(t, 9, c))
}

// loimos reads a file of Loimos, and skips the test where there is none.
func loimos(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(appstest.Data(t, filepath.Join("loimos", name)))
	require.NoError(t, err)
	return text
}

func diseaseOf(t testing.TB, text string) *scenario.Disease {
	t.Helper()
	d, err := scenario.ReadDisease([]byte(text))
	require.NoError(t, err)
	return d
}

// syn is the run of Loimos whose curve its own tests demand.
func syn(t testing.TB) Config {
	grid, err := population.NewGrid(population.GridConfig{
		People: 10_000, Width: 50, Height: 50, TilesX: 5, TilesY: 5, Blocks: 32, VisitsPerDay: 5,
	})
	require.NoError(t, err)
	return Config{Disease: diseaseOf(t, string(loimos(t, "covid19_onepath.textproto"))), Population: grid, Days: 30,
		Loimos: true}
}

// lines is a curve as Loimos writes it.
func lines(curve []Row) string {
	var b strings.Builder
	b.WriteString("day,state,total_in_state,change_in_state\n")
	for _, r := range curve {
		fmt.Fprintf(&b, "%d,%s,%d,%d\n", r.Day, r.State, r.Total, r.Change)
	}
	return b.String()
}

// The curve is that of Loimos to the line.
func TestLoimosToTheLine(t *testing.T) {
	got, err := Serial(syn(t))
	require.NoError(t, err)
	require.Equal(t, string(loimos(t, "test-syn.csv")), lines(got.Curve))
}

// Utopia has the interactions that the tests of Loimos demand.
func TestUtopia(t *testing.T) {
	folder := filepath.Dir(appstest.Data(t, "loimos/utopia_people.csv"))
	utopia, err := population.Read(os.DirFS(folder), "utopia_", 1)
	require.NoError(t, err)
	covid := diseaseOf(t, string(loimos(t, "covid19.textproto")))
	for days := 1; days <= 2; days++ {
		got, err := Serial(Config{
			Disease: covid, Population: utopia, Days: days, Contact: MinMaxAlpha, Meetings: true, Loimos: true,
		})
		require.NoError(t, err)
		require.EqualValues(t, 97*days, got.Contacts)
	}
}

// What is written comes back.
func TestWrite(t *testing.T) {
	curve := []Row{{0, "S", 98, 98}, {0, "E, or so", 2, 2}, {1, "S", 97, -1}}
	var b bytes.Buffer
	require.NoError(t, WriteCurve(&b, "csv", curve))
	require.Equal(t, "day,state,total_in_state,change_in_state\n0,S,98,98\n0,\"E, or so\",2,2\n1,S,97,-1\n", b.String())
	b.Reset()
	require.NoError(t, WriteCurve(&b, "json", curve))
	var back []Row
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, curve, back)
	b.Reset()
	require.NoError(t, WriteCurve(&b, "avro", curve))
	require.Equal(t, []map[string]any{
		{"day": int64(0), "state": "S", "total_in_state": int64(98), "change_in_state": int64(98)},
		{"day": int64(0), "state": "E, or so", "total_in_state": int64(2), "change_in_state": int64(2)},
		{"day": int64(1), "state": "S", "total_in_state": int64(97), "change_in_state": int64(-1)},
	}, records(t, &b))

	all := make([]Infection, blockRows+1)
	for i := range all {
		all[i] = Infection{Day: int32(i), Person: int64(i) << 40, By: -1, Location: 3, Start: 5}
	}
	b.Reset()
	require.NoError(t, WriteInfections(&b, "csv", all[:2]))
	require.Equal(t, "day,person,by,location,start\n0,0,-1,3,5\n1,1099511627776,-1,3,5\n", b.String())
	b.Reset()
	require.NoError(t, WriteInfections(&b, "avro", all))
	got := records(t, &b)
	require.Len(t, got, len(all))
	require.Equal(t, map[string]any{
		"day": int64(blockRows), "person": int64(blockRows) << 40, "by": int64(-1), "location": int64(3),
		"start": int64(5),
	}, got[blockRows])
	for _, format := range Formats {
		b.Reset()
		require.NoError(t, WriteInfections(&b, format, nil))
		require.ErrorContains(t, WriteInfections(full{}, format, all), "write infections as "+format+": ")
	}
	require.ErrorContains(t, WriteCurve(&b, "xml", curve), `no format "xml": use one of csv, json, avro`)
}

func records(t *testing.T, b *bytes.Buffer) (all []map[string]any) {
	t.Helper()
	file, err := goavro.NewOCFReader(b)
	require.NoError(t, err)
	for file.Scan() {
		record, err := file.Read()
		require.NoError(t, err)
		all = append(all, record.(map[string]any))
	}
	require.NoError(t, file.Err())
	return all
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// large is a simulation that takes a second.
func large(b *testing.B) Config {
	c := little(b, 1)
	c.Population, c.Days, c.List = town(b, population.TownConfig{People: 100_000, Seed: 1}), 10, false
	return c
}

func BenchmarkContagion(b *testing.B) {
	b.Run("serial", func(b *testing.B) {
		visits := uint64(0)
		for b.Loop() {
			got, err := Serial(large(b))
			require.NoError(b, err)
			visits += got.Visits
		}
		b.ReportMetric(float64(visits)/b.Elapsed().Seconds()/1e6, "Mvisits/s")
	})
	for _, ranks := range []int{1, 2} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 1024}
			c := large(b)
			visits, seconds := uint64(0), 0.0
			for b.Loop() {
				require.NoError(b, s.Run(b, func(r *pebble.Rank) error {
					got, err := Run(r, c)
					if r.ID() == 0 {
						visits += got.Visits
						seconds += got.Seconds
					}
					return err
				}))
			}
			b.ReportMetric(float64(visits)/seconds/1e6, "Mvisits/s")
		})
	}
}

// A location sweeps its visits.
func BenchmarkSweep(b *testing.B) {
	c := little(b, 1).withDefaults()
	c.Contact = Constant
	for _, n := range []int{20, 200} {
		b.Run(fmt.Sprintf("visits=%d", n), func(b *testing.B) {
			s := sweeper{rules: newRules(c, 1), out: func(exposure) {}}
			p := town(b, population.TownConfig{People: n, Locations: 1, VisitsPerDay: 1, Seed: 1})
			for person := range n {
				for _, v := range p.Visits(nil, person, 0) {
					s.visits = append(s.visits, visit{
						Person: uint32(person), Arrive: v.Arrive, Depart: v.Depart, State: uint32(2 * min(person%20,
							1)), Modifier: 1,
					})
				}
			}
			for b.Loop() {
				s.sweep(7, 3, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.visits)), "ns/visit")
		})
	}
}

// A plain loop over people and visits, which knows nothing of exposures, is what the twin's days without an outbreak
// are compared with.
func BenchmarkPlain(b *testing.B) {
	c := large(b)
	c.PerDay = -1
	type stay struct {
		location, person uint32
		arrive, depart   int32
	}
	people, locations := c.Population.People(), c.Population.Locations()
	b.Run("loop", func(b *testing.B) {
		visits := 0
		for b.Loop() {
			states, brings := make([]uint8, people), make([]uint8, locations)
			var stays []stay
			var itinerary []population.Visit
			for day := range c.Days {
				stays = stays[:0]
				clear(brings)
				for person := range people {
					itinerary = c.Population.Visits(itinerary[:0], person, day%c.Population.Days())
					for _, v := range itinerary {
						brings[v.Location] |= 1 << states[person]
						stays = append(stays, stay{v.Location, uint32(person), v.Arrive, v.Depart})
					}
				}
				visits += len(stays)
				hot := 0
				for _, s := range stays {
					if brings[s.location] > 1 {
						hot++
					}
				}
				require.Zero(b, hot)
			}
		}
		b.ReportMetric(float64(visits)/b.Elapsed().Seconds()/1e6, "Mvisits/s")
	})
	b.Run("twin", func(b *testing.B) {
		visits := uint64(0)
		for b.Loop() {
			got, err := Serial(c)
			require.NoError(b, err)
			visits += got.Visits
		}
		b.ReportMetric(float64(visits)/b.Elapsed().Seconds()/1e6, "Mvisits/s")
	})
}

// pairs finds exposures by looking at each pair of visits.
func pairs(s *sweeper, visits []visit) (all []exposure, meetings uint64) {
	s.out = func(x exposure) { all = append(all, x) }
	for i := range visits {
		for j := range visits {
			v, by := &visits[i], &visits[j]
			if v.Place != by.Place || max(v.Arrive, by.Arrive) >= min(v.Depart, by.Depart) || i == j {
				continue
			}
			if i < j {
				meetings++
			}
			if s.carries[v.State]&susceptible != 0 && s.carries[by.State]&infectious != 0 {
				s.meet(v, by, min(v.Depart, by.Depart))
			}
		}
	}
	return all, meetings
}

func sorted(all []exposure) []exposure {
	slices.SortFunc(all, func(a, b exposure) int {
		return cmp.Or(cmp.Compare(a.Person, b.Person), cmp.Compare(a.By, b.By), cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.Race, b.Race))
	})
	return all
}

// A sweep finds what a look at each pair of visits finds, whatever the order of the visits.
func TestSweepFindsAllMeetings(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	c := little(t, seed).withDefaults()
	c.Meetings = true
	for range 500 {
		s := sweeper{rules: newRules(c, 1), location: 7, day: 3}
		visits := make([]visit, random.IntN(40))
		for i := range visits {
			arrive := random.Int32N(50)
			visits[i] = visit{
				Person: uint32(random.IntN(20)), Number: uint32(i), Place: uint32(random.IntN(2)), State: uint32(random.IntN(4)),
				Modifier: 1,
				Arrive:   arrive * 1000, Depart: (arrive + 1 + random.Int32N(30)) * 1000,
			}
		}
		var got []exposure
		s.out = func(x exposure) { got = append(got, x) }
		s.visits = visits
		s.sweep(7, 3, nil)
		require.Empty(t, s.susceptible)
		require.Empty(t, s.infectious)
		want, meetings := pairs(&s, visits)
		require.Equal(t, sorted(want), sorted(got))
		require.Equal(t, meetings, s.meetings)

		random.Shuffle(len(visits), func(i, j int) { visits[i], visits[j] = visits[j], visits[i] })
		var again []exposure
		s.out = func(x exposure) { again = append(again, x) }
		s.sweep(7, 3, nil)
		require.Equal(t, got, sorted(again))
	}
}

// Exposures merge to the same in any order.
func TestMergingHasNoOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 1000 {
		all, isTooMuch := make([]exposure, 1+random.IntN(8)), false
		for i := range all {
			all[i] = exposure{
				Propensity: whole(random.ExpFloat64() * 100), Race: float64(random.IntN(3)), Count: 1,
				By:    uint32(random.IntN(3)),
				Start: random.Int32N(3), Location: uint32(random.IntN(3)),
			}
			if random.IntN(10) == 0 {
				all[i].Propensity, isTooMuch = 1<<64-1, true
			}
		}
		fold := func() exposure {
			at := random.IntN(len(all))
			left, right := all[0], all[at]
			for _, x := range all[1:max(at, 1)] {
				left = merge(left, x)
			}
			if at == 0 {
				for _, x := range all[1:] {
					left = merge(left, x)
				}
				return left
			}
			for _, x := range all[at+1:] {
				right = merge(right, x)
			}
			return merge(left, right)
		}
		want := fold()
		require.Equal(t, isTooMuch, want.Propensity == 1<<64-1)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		require.Equal(t, want, fold())
	}
}

// A person who meets infectious ones is infected as often as the propensities say, and by each in proportion to its
// own.
func TestInfectionsHaveTheirChances(t *testing.T) {
	const trials = 4000
	seed := rand.Uint64()
	t.Log("seed", seed)
	disease := diseaseOf(t, flu)
	disease.Transmissibility = 1
	s, err := population.NewSchedule("three", 3, 1, 1, []population.Planned{
		{Person: 0, Visit: population.Visit{Arrive: 0, Depart: 43200}},
		{Person: 1, Visit: population.Visit{Arrive: 0, Depart: 43200}},
		{Person: 2, Visit: population.Visit{Arrive: 32400, Depart: 86400}},
	})
	require.NoError(t, err)
	by := map[int64]int{}
	for i := range uint64(trials) {
		c := Config{Disease: disease, Population: s, Days: 1, Seed: seed + i, Contact: Certain, PerDay: -1}
		p := newPart(newRules(c.withDefaults(), 1), 0)
		p.people[1].state, p.people[2].state = 2, 2
		p.open()
		p.visit(0, func(vs []visit) { p.take(vs) })
		p.meet(0, func(xs []exposure) { p.expose(xs) })
		p.decide(0)
		for _, x := range p.infections {
			by[x.By]++
		}
	}
	infected := by[1] + by[2]
	t.Log(by)
	require.InDelta(t, trials*0.464738571, infected, 6*31.6) // 1 - exp(-(1/2 + 1/8)), six standard deviations
	require.InDelta(t, float64(infected)*4/5, by[1], 6*17.5)
}

// A bundle comes back as it was, and bytes that are none are refused.
func TestBundles(t *testing.T) {
	x := bundle{To: 7, Visits: []visit{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {Person: 1 << 31, Arrive: -1, Modifier: 0.5}}}
	text, err := bundleCodec{}.Append([]byte("before"), x)
	require.NoError(t, err)
	require.Len(t, text, len("before")+4+2*36)
	back, err := bundleCodec{}.Decode(text[len("before"):])
	require.NoError(t, err)
	require.Equal(t, x, back)
	for _, n := range []int{0, 3, 5, 4 + 35} {
		_, err := bundleCodec{}.Decode(make([]byte, n))
		require.ErrorContains(t, err, "no whole number of visits")
	}
}
