package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A sweep has every combination once, of only the settings that an application leaves open.
func TestSweep(t *testing.T) {
	require.Equal(t, []string{"--topology direct", "--topology hypercube"}, sweep("--topology"))
	all := sweep("--topology --coalesce --cache")
	require.Len(t, all, 16)
	require.Equal(t, "--topology hypercube --coalesce 16384 --cache 4096", all[15])
}
