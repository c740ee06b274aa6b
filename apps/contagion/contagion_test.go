package contagion

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// flu is a contagious disease.
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
	p := appstest.Must(population.NewTown(c))
	return p
}

func interventions(t testing.TB) []scenario.Intervention {
	t.Helper()
	all := appstest.Must(scenario.ReadInterventions([]byte(measures)))
	return all
}

// little returns a simulation that takes some milliseconds.
func little(t testing.TB, seed uint64) Config {
	return Config{
		Disease: diseaseOf(t, flu), Population: town(t, population.TownConfig{People: 300, Locations: 60,
			Seed: seed}), Days: 4, PerDay: 8, Common: apps.Common{Seed: seed},
		List: true,
	}
}

// ways returns configurations of all kinds.
func ways(t *testing.T) map[string]Config {
	seed := seeds.Of(t) % (1 << 32)
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

// sameAs requires that a run has the result of the serial twin.
func sameAs(t *testing.T, want, got Result) {
	t.Helper()
	require.Zero(t, got.Errors, got.Wrong)
	require.Zero(t, apart(want, got))
	require.True(t, got.Twin)
}

// The result equals that of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	all, twins := ways(t), map[string]Result{}
	for name, c := range all {
		want := appstest.Must(Serial(c))
		require.Greater(t, want.Infected, uint64(30))
		twins[name] = want
	}
	names, turn := slices.Sorted(maps.Keys(all)), 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		name := names[turn%len(names)]
		c, want := all[name], twins[name]
		turn++
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

// Every way to simulate gives the same result on any number of ranks, over the transports and in simulated time.
func TestEverywhere(t *testing.T) {
	for name, c := range ways(t) {
		want := appstest.Must(Serial(c))
		t.Run(name, func(t *testing.T) {
			appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, got Result) { sameAs(t, want, got) })
		})
	}
}

// runOn runs on ranks of this process.
func runOn(t *testing.T, ranks int, c Config) Result {
	t.Helper()
	s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	return appstest.All(t, s, Run, c)[0]
}

// The curve equals that of Loimos, to the line, serially and on any number of ranks.
func TestLoimosOnRanks(t *testing.T) {
	c := syn(t)
	want := string(loimos(t, "test-syn.csv"))
	serial := appstest.Must(Serial(c))
	require.Equal(t, want, lines(serial.Curve))
	for _, ranks := range []int{2, 7} {
		got := runOn(t, ranks, c)
		require.Zero(t, got.Errors, got.Wrong)
		require.Equal(t, want, lines(got.Curve), "%d ranks", ranks)
	}
}

// Ranks of a region of the town give the same result, and keep more visits local.
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

// safeRisky starts by age, infects every contact, and lasts three days.
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

// In camps whose visits never meet, the only safe persons infected are those of the outbreak; all others are infected.
func TestSafeAndRisky(t *testing.T) {
	camps := appstest.Must(population.Camps(2000, 1500))
	seed := seeds.Of(t)
	got := runOn(t, 4, Config{Disease: diseaseOf(t, safeRisky), Population: camps, Days: 20,
		Common: apps.Common{Seed: seed}, List: true})
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

// The source of an infection was infectious, and at the location at that time; so was the infected person.
func TestInfectionsAreOfMeetings(t *testing.T) {
	c := little(t, 5)
	got := appstest.Must(Serial(c))
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

// Each intervention alone reduces the number of infected people.
func TestInterventionsHelp(t *testing.T) {
	c := little(t, 3)
	c.Population = town(t, population.TownConfig{People: 3000, Locations: 750, Seed: 3})
	c.Days = 12
	plain := appstest.Must(Serial(c))
	for _, i := range interventions(t) {
		i.Compliance, i.Trigger, i.Probability = 1, scenario.Trigger{}, 1
		c.Interventions = []scenario.Intervention{i}
		got := appstest.Must(Serial(c))
		require.Less(t, got.Infected, plain.Infected, i)
		require.Equal(t, i.Kind == scenario.Closure, got.Refused > 0)
		require.Equal(t, i.Kind == scenario.Isolation, got.Visits < plain.Visits)
	}
}

// In an epidemic without an outbreak all days are equal.
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
	want := appstest.Must(Serial(c))
	require.EqualValues(t, 3, want.Infected)
	sameAs(t, want, runOn(t, 9, c))
}

// Written results can be read back.
func TestWrite(t *testing.T) {
	curve := []Row{{0, "S", 98, 98}, {0, "E, or so", 2, 2}, {1, "S", 97, -1}}
	var b bytes.Buffer
	require.NoError(t, WriteCurve(&b, "a.csv", curve))
	require.Equal(t, "day,state,total_in_state,change_in_state\n0,S,98,98\n0,\"E, or so\",2,2\n1,S,97,-1\n", b.String())
	b.Reset()
	require.NoError(t, WriteCurve(&b, "a.json", curve))
	var back []Row
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, curve, back)
	b.Reset()
	require.NoError(t, WriteCurve(&b, "a.avro", curve))
	require.Equal(t, []map[string]any{
		{"day": int64(0), "state": "S", "total_in_state": int64(98), "change_in_state": int64(98)},
		{"day": int64(0), "state": "E, or so", "total_in_state": int64(2), "change_in_state": int64(2)},
		{"day": int64(1), "state": "S", "total_in_state": int64(97), "change_in_state": int64(-1)},
	}, records(t, &b))

	const infections = 4096
	all := make([]Infection, infections+1)
	for i := range all {
		all[i] = Infection{Day: int32(i), Person: int64(i) << 40, By: -1, Location: 3, Start: 5}
	}
	b.Reset()
	require.NoError(t, WriteInfections(&b, "a.csv", all[:2]))
	require.Equal(t, "day,person,by,location,start\n0,0,-1,3,5\n1,1099511627776,-1,3,5\n", b.String())
	b.Reset()
	require.NoError(t, WriteInfections(&b, "a.avro", all))
	got := records(t, &b)
	require.Len(t, got, len(all))
	require.Equal(t, map[string]any{
		"day": int64(infections), "person": int64(infections) << 40, "by": int64(-1), "location": int64(3),
		"start": int64(5),
	}, got[infections])
	for _, name := range []string{"a.csv", "a.json", "a.jsonl.gz", "a.avro", "a.parquet"} {
		b.Reset()
		require.NoError(t, WriteInfections(&b, name, nil))
		require.ErrorContains(t, WriteInfections(full{}, name, all), "contagion: write "+name+": ")
		require.NoError(t, CheckFile(name))
	}
	require.ErrorContains(t, WriteCurve(&b, "a.xml", curve), "the extension does not name a format")
	require.ErrorContains(t, CheckFile("a.xml"), "the extension does not name a format")
}

func records(t *testing.T, b *bytes.Buffer) (all []map[string]any) {
	t.Helper()
	file := appstest.Must(goavro.NewOCFReader(b))
	for file.Scan() {
		record := appstest.Must(file.Read())
		all = append(all, record.(map[string]any))
	}
	require.NoError(t, file.Err())
	return all
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
