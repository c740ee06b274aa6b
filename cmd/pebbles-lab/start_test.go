package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/start"
)

// TestStart runs two small jobs, and simulates larger ones with what they cost.
func TestStart(t *testing.T) {
	line := []string{"start", "--parameters", "odin", "--real", "4,2", "--processes", "16,100", "--per-host", "10"}
	var answer struct {
		App       string
		Costs     start.Costs
		Real      []started
		Simulated []start.Result
	}
	require.NoError(t, json.Unmarshal([]byte(succeeds(t, with(line, "--json")...)), &answer))
	require.Equal(t, "start", answer.App)
	require.Positive(t, answer.Costs.Process+answer.Costs.Greeting)
	for i, processes := range []int{2, 4} {
		r := answer.Real[i]
		require.Equal(t, processes, r.Processes)
		require.Positive(t, r.Seconds)
		require.GreaterOrEqual(t, r.Connections, float64(i+1)) // those of the bits; the barrier may use data streams
		require.Positive(t, r.Processor)
	}
	for i, want := range []start.Result{{Processes: 16, Hosts: 2, Connections: 4}, {Processes: 100, Hosts: 10,
		Connections: 7}} {
		r := answer.Simulated[i]
		require.Equal(t, want, start.Result{Processes: r.Processes, Hosts: r.Hosts, Connections: r.Connections})
		require.Greater(t, r.Started, r.Began)
	}
	text := succeeds(t, line...)
	require.Contains(t, text, "memory of each")
	require.Contains(t, text, "a greeting\n")
}

// TestStartIsNoProgram requires that start cannot be started as a job.
func TestStartIsNoProgram(t *testing.T) {
	r := pebbles("run", "-n", "2", "--", binary, "start")
	require.NotZero(t, r.Status)
	require.Contains(t, r.Stderr, "starts its processes itself")
}
