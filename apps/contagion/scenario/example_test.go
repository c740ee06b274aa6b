package scenario_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// An error in a model is one sentence.
func ExampleReadDisease() {
	_, err := scenario.ReadDisease([]byte(`
		label: "cold" transmissibility: 1
		starting_states: { starting_state: 0 }
		disease_states: { state_label: "well" susceptibility: 1 exposure_transition: { transitions: { next_state: 3 } } }
		disease_states: { state_label: "ill" infectivity: 1 }
	`))
	fmt.Println(err)
	// Output: disease model: state "well": there is no state 3: the model has states 0 to 1
}
