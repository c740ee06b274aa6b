package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/contagion/chance"
)

// sir is a small model: susceptible, infectious for two days in the mean, removed.
const sir = `
label: "sir" transmissibility: 0.5
starting_states: { starting_state: 0 }
disease_states: { state_label: "S" susceptibility: 1 exposure_transition: { transitions: { next_state: 1 } } }
disease_states: { state_label: "I" infectivity: 0.8 symptomatic: true timed_transition: {
	transitions: { next_state: 2 with_prob: 0.5 fixed: { time_in_state: { days: 1 hours: 12 } } }
	transitions: { next_state: 2 with_prob: 0.5 uniform: { tmin: { days: 1 } tmax: { days: 3 } } }
} }
disease_states: { state_label: "R" } # for ever
`

func TestReadDisease(t *testing.T) {
	d := appstest.Must(ReadDisease([]byte(sir)))
	require.Equal(t, &Disease{
		Label: "sir", Transmissibility: 0.5, Starts: []Start{{}},
		States: []State{
			{Label: "S", Susceptibility: 1, Exposure: []Transition{{Next: 1}}},
			{Label: "I", Infectivity: 0.8, Symptomatic: true, Timed: []Transition{
				{2, 0.5, Dwell{Kind: Fixed, A: 36 * 3600}}, {2, 0.5, Dwell{Kind: Uniform, A: Day, B: 3 * Day}},
			}},
			{Label: "R"},
		},
	}, d)
	require.True(t, d.Susceptible(0) && d.Infectious(1))
	require.False(t, d.Infectious(0) || d.Susceptible(1) || d.Infectious(2) || d.Ages())
	require.InDelta(t, 0.5*0.8/24, d.Propensity(0, 1, 3600, 1), 1e-15)
	s := chance.At(1, 2, 3, 4)
	for range 100 {
		next, left := d.Leave(1, &s)
		require.Equal(t, 2, next)
		require.True(t, left >= Day && left < 3*Day, left)
	}
	next, left := d.Leave(2, &s)
	require.Equal(t, []int{2, Forever}, []int{next, int(left)})
	require.Equal(t, 1, d.Infect(0, &s))
}

// The models of Loimos can be read, except one of an older schema.
func TestModelsOfLoimos(t *testing.T) {
	read := func(name string) (*Disease, error) {
		text, err := os.ReadFile(appstest.Data(t, filepath.Join("loimos", name)))
		require.NoError(t, err)
		return ReadDisease(text)
	}
	one, err := read("covid19_onepath.textproto")
	require.NoError(t, err)
	require.Len(t, one.States, 18)
	all, err := read("covid19.textproto")
	require.NoError(t, err)
	require.Len(t, all.States, 5*18)
	require.True(t, all.Ages())
	for age, want := range map[int]string{0: "S_p", 17: "S_s", 18: "S_a", 64: "S_o", 65: "S_g"} {
		start := appstest.Must(all.Start(age))
		require.Equal(t, want, all.States[start].Label, age)
	}
	_, err = all.Start(-1)
	require.ErrorContains(t, err, "the population has no ages")
	_, err = all.Start(1000)
	require.ErrorContains(t, err, "no starting state for an age of 1000")
	_, err = read("H5N1.textproto")
	require.ErrorContains(t, err, "unknown field: transition_set")
}

// Each error is one sentence.
func TestBadDiseases(t *testing.T) {
	for _, x := range []struct{ good, bad, want string }{
		{"with_prob: 0.5", "with_prob: 0.4", `state "I" has probabilities that sum up to 0.9`},
		{"with_prob: 0.5", "with_prob: nan", `a probability of NaN: give 0 to 1`},
		{"next_state: 2", "next_state: 7", `state "I": there is no state 7: the model has states 0 to 2`},
		{"next_state: 2", "next_state: \"R\"", "invalid value for int32"},
		{"next_state: 1", "next_state: -1", "there is no state -1"},
		{"starting_state: 0", "starting_state: 3", "starting_states: there is no state 3"},
		{"starting_states: { starting_state: 0 }", "", "no starting_states"},
		{"starting_states", "starting_states: { lower: 5 upper: 3 } starting_states", "upper not below it"},
		{`"R"`, `"S"`, `two states are called "S"`},
		{`"R"`, `"R" infectivity: -1`, `state "R": an infectivity or susceptibility of -1`},
		{`"R"`, `"R" susceptibility: 1`, `state "R" is susceptible, and has no exposure_transition`},
		{`"R"`, `"R" timed_transition: {} exposure_transition: {}`, "give one"},
		{"0.5\n", "nan\n", "a transmissibility of NaN"},
		{"fixed: { time_in_state: { days: 1 hours: 12 } }", "", `state "I" has 0 of uniform, normal`},
		{"fixed: {", "forever: {} fixed: {", `state "I" has 2 of uniform, normal`},
		{"tmin: { days: 1 }", "tmin: { days: 4 }", "for most of it below the least"},
		{"fixed: { time_in_state: { days: 1 hours: 12 } }", "discrete: { bins: { tval: { days: 1 } with_prob: 0.5 } }",
			`state "I", which lasts by discrete times, has probabilities that sum up to 0.5`},
		{"fixed: { time_in_state: { days: 1 hours: 12 } }", "discrete: { bins: { tval: { days: -1 } with_prob: 1 } }",
			"below 0"},
		{"disease_states", "nonsense", "unknown field: nonsense"},
		{sir, "", "it has 0 disease_states"},
	} {
		text := strings.Replace(sir, x.good, x.bad, 1)
		require.NotEqual(t, sir, text)
		_, err := ReadDisease([]byte(text))
		require.ErrorContains(t, err, x.want, x.bad)
		require.ErrorContains(t, err, "disease model: ")
		require.NotContains(t, err.Error(), "\n")
	}
}

// Every kind of dwell time has its declared mean.
func TestDwellTimes(t *testing.T) {
	for text, mean := range map[string]float64{
		"fixed: { time_in_state: { minutes: 90 } }":                                                             5400,
		"uniform: { tmin: { days: 1 } tmax: { days: 2 } }":                                                      1.5 * Day,
		"normal: { tmean: { days: 5 } tvariance: { days: 1 } }":                                                 5 * Day,
		"discrete: { bins: { tval: { days: 1 } with_prob: 0.25 } bins: { tval: { days: 2 } with_prob: 0.75 } }": 1.75 * Day,
		"forever: {}": Forever,
	} {
		model := strings.Replace(sir, "fixed: { time_in_state: { days: 1 hours: 12 } }", text, 1)
		d := appstest.Must(ReadDisease([]byte(model)))
		s, sum := chance.At(1, 2, 3, 4), 0.0
		const n = 20_000
		for range n {
			sum += float64(d.States[1].Timed[0].Dwell.draw(&s))
		}
		require.InEpsilon(t, mean, sum/n, 0.02, text)
	}
}

// An infection leads to each state with its probability.
func TestExposureTransitions(t *testing.T) {
	d, err := ReadDisease([]byte(strings.Replace(sir, "transitions: { next_state: 1 }",
		"transitions: { next_state: 1 with_prob: 0.2 } transitions: { next_state: 2 with_prob: 0.8 }", 1)))
	require.NoError(t, err)
	s, counts := chance.At(1, 2, 3, 4), [3]int{}
	for range 10_000 {
		counts[d.Infect(0, &s)]++
	}
	require.InDelta(t, 2000, counts[1], 240) // six standard deviations
}

func TestReadTable(t *testing.T) {
	table, err := ReadTable([]byte(`num_rows: 3 start_time: { days: 1 } duration: { days: 7 }
		fields { field_name: "lid" unique_id: {} } fields { field_name: "pid" foreign_id {} }
		fields { field_name: "x" ignore: {} } fields { field_name: "age" int32: {} }
		fields { field_name: "school" bool: {} }`))
	require.NoError(t, err)
	require.Equal(t, &Table{
		Columns: []Column{{"lid", Self}, {"pid", Other}, {"x", Ignored}, {"age", Number},
			{"school", Kind}}, Rows: 3, Days: 7, First: 1,
	}, table)
	at, err := table.Find(Other, "")
	require.NoError(t, err)
	require.Equal(t, 1, at)
	require.Equal(t, 2, table.Named("x"))
	require.Equal(t, -1, table.Named("y"))
	_, err = table.Find(Arrival, "start_time, when a visit begins")
	require.ErrorContains(t, err, "there is no field that is start_time, when")
	_, err = ReadTable(nil)
	require.ErrorContains(t, err, "no fields")
}

const measures = `
triggers: { new_daily_cases: { trigger_on: 0.004; trigger_off: 0.001; } }
triggers: { day: { trigger_on: 3 trigger_off: 9 } }
person_interventions: { compliance: 0.95; trigger_index: 0; self_isolation: {} }
person_interventions: { compliance: 0.7 trigger_index: 1
	vaccination: { probability: 1 vaccinated_susceptibility: 0.1 } }
location_interventions: { compliance: 1 trigger_index: 0 school_closures: {} }
location_interventions: { compliance: 1 trigger_index: 1 closure: { kind: "shop" } }
`

func TestReadInterventions(t *testing.T) {
	all := appstest.Must(ReadInterventions([]byte(measures)))
	cases, days := Trigger{true, 0.004, 0.001}, Trigger{false, 3, 9}
	require.Equal(t, []Intervention{
		{Kind: Isolation, Compliance: 0.95, Trigger: cases},
		{Kind: Vaccination, Compliance: 0.7, Trigger: days, Probability: 1, Susceptibility: 0.1},
		{Kind: Closure, Compliance: 1, Trigger: cases, Closed: "school"},
		{Kind: Closure, Compliance: 1, Trigger: days, Closed: "shop"},
	}, all)

	on := false
	for day, share := range []float64{0, 0.003, 0.004, 0.002, 0.001, 0.0005, 0.003} {
		on = cases.Next(on, day, share)
		require.Equal(t, day >= 2 && day <= 4, on, day)
		require.Equal(t, day >= 3, days.Next(false, day, share))
	}
	require.False(t, days.Next(true, 9, 0))
	require.True(t, Trigger{On: 3}.Next(false, 1000, 0))
}

func TestBadInterventions(t *testing.T) {
	for _, x := range []struct{ good, bad, want string }{
		{"compliance: 0.95", "compliance: 1.5", "of 1.5: give 0 to 1"},
		{"trigger_index: 0", "trigger_index: 2", "there is no trigger 2: there are 2"},
		{"self_isolation: {}", "", "an intervention has 0 of self_isolation"},
		{"self_isolation: {}", "school_closures: {}", "closures are location_interventions"},
		{"trigger_off: 9", "trigger_off: 2", "from day 3 to day 2"},
		{"trigger_off: 0.001", "trigger_off: 0.1", "from a share of 0.004 new cases to one of 0.1"},
		{"day: { trigger_on: 3 trigger_off: 9 }", "", "a trigger has 0 of new_daily_cases and day"},
		{"location_interventions: {", "location_interventions: { lockdown: {}", "unknown field: lockdown"},
	} {
		text := strings.Replace(measures, x.good, x.bad, 1)
		require.NotEqual(t, measures, text)
		_, err := ReadInterventions([]byte(text))
		require.ErrorContains(t, err, x.want, x.bad)
		require.ErrorContains(t, err, "interventions: ")
	}
	_, err := ReadInterventions([]byte(strings.Repeat("person_interventions: {}", 17)))
	require.ErrorContains(t, err, "give up to 16")
}

func FuzzReadDisease(f *testing.F) {
	f.Add([]byte(sir))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ReadDisease(text)
		if err != nil {
			return
		}
		s := chance.At(1, 2, 3, 4)
		for state := range d.States {
			next, _ := d.Leave(state, &s)
			require.True(t, next >= 0 && next < len(d.States), fmt.Sprint(next))
		}
	})
}

func TestExample(t *testing.T) { require.Len(t, Example().States, 5) }
