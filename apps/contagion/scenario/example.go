package scenario

// Example is a disease that resembles influenza, for examples and tests: nobody has fitted its numbers to anything.
func Example() *Disease {
	d, err := ReadDisease([]byte(example))
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return d
}

const example = `
label: "example" transmissibility: 2
starting_states: { starting_state: 0 }
disease_states: { state_label: "susceptible" susceptibility: 1 exposure_transition: { transitions: { next_state: 1 } } }
disease_states: { state_label: "exposed" timed_transition: {
	transitions: { next_state: 2 with_prob: 0.6 normal: { tmean: { days: 2 } tvariance: { hours: 12 } } }
	transitions: { next_state: 3 with_prob: 0.4 fixed: { time_in_state: { days: 2 } } }
} }
disease_states: { state_label: "symptomatic" infectivity: 1 symptomatic: true timed_transition: {
	transitions: { next_state: 4 with_prob: 1 discrete: {
		bins: { tval: { days: 3 } with_prob: 0.25 } bins: { tval: { days: 4 } with_prob: 0.5 }
		bins: { tval: { days: 6 } with_prob: 0.25 }
	} }
} }
disease_states: { state_label: "asymptomatic" infectivity: 0.5 timed_transition: {
	transitions: { next_state: 4 with_prob: 1 uniform: { tmin: { days: 2 } tmax: { days: 5 } } }
} }
disease_states: { state_label: "recovered" }
`
