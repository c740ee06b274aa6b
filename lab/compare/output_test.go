package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generated is HPCC 1.5.0's output about MPIRandomAccess. The parts of the suite around the section must not be read.
const generated = `Begin of Summary section.
Running on 64 processors (PowerofTwo)
Begin of MPIRandomAccess section.
Running on 2 processors (PowerofTwo)
Total Main table size = 2^21 = 2097152 words
PE Main table size = 2^20 = 1048576 words/PE
Default number of updates (RECOMMENDED) = 8388608
Number of updates EXECUTED = 4194304 (for a TIME BOUND of 60.00 secs)
CPU time used = 0.476371 seconds
Real time used = 0.500000 seconds
0.016856667 Billion(10^9) Updates    per second [GUP/s]
0.008428334 Billion(10^9) Updates/PE per second [GUP/s]
Verification:  CPU time used = 0.063963 seconds
Verification:  Real time used = 0.075712 seconds
Found 0 errors in 2097152 locations (passed).
Current time (1795285863) is Sat Nov 21 18:31:03 2026

End of MPIRandomAccess section.
Begin of StarRandomAccess section.
Real time used = 7.025969 seconds
Found 9 errors in 1048576 locations (failed).
`

func TestRead(t *testing.T) {
	require.True(t, complete(generated))
	require.False(t, complete(strings.ReplaceAll(generated, "End of MPI", "Middle of MPI")))
	r, err := read(section(generated))
	require.NoError(t, err)
	require.Equal(t, report{App: "randomaccess", Ranks: 2, Procs: 2, Log2: 20, Seconds: 0.5, Words: 1 << 21,
		Updates:          1 << 22,
		UpdatesPerSecond: 1 << 23}, r)
}

// Without a time limit the recommended number is executed.
func TestReadWithoutATimeLimit(t *testing.T) {
	text := strings.Replace(section(generated), "Number of updates EXECUTED = 4194304 (for", "Nobody has said (", 1)
	r, err := read(text)
	require.NoError(t, err)
	require.EqualValues(t, 1<<23, r.Updates)
	require.EqualValues(t, 1<<24, r.UpdatesPerSecond)
}

// Wrong words are always reported. They are errors if they are more than one in a hundred, or if HPCC says so.
func TestReadWrongWords(t *testing.T) {
	for found, errors := range map[string]uint64{
		"Found 824 errors in 2097152 locations (passed).":   0,
		"Found 20971 errors in 2097152 locations (passed).": 0,
		"Found 20972 errors in 2097152 locations (failed).": 20972,
		"Found 20972 errors in 2097152 locations (passed).": 20972,
		"Found 1 errors in 2097152 locations (failed).":     1,
		"Found 0 errors in 2097152 locations (failed).":     1,
	} {
		r, err := read(strings.Replace(section(generated), "Found 0 errors in 2097152 locations (passed).", found, 1))
		require.NoError(t, err)
		require.Equal(t, errors, r.Errors, found)
		require.Contains(t, found, fmt.Sprintf("Found %d errors", r.WrongWords))
	}
}

// A line that is missing, cut or not a number is reported with the line that HPCC printed instead.
func TestReadDamaged(t *testing.T) {
	for damaged, instead := range map[string]string{
		"Running on 2":                      "Running on many",
		"PE Main table size = 2^20":         "PE Main table size = (2^20)/3",
		"Number of updates EXECUTED = 4194": "Number of updates EXECUTED = 99999999999999999999",
		"Real time used = 0.500000":         "Real time used = 0.000000",
		"Real time used = 0.5":              "Real time used = nan",
		"Found 0 errors":                    "Found -1 errors",
		"(passed).":                         "(passed",
	} {
		text := section(generated)
		require.Contains(t, text, damaged)
		_, err := read(strings.Replace(text, damaged, instead, 1))
		require.ErrorContains(t, err, "HPCC has not printed", damaged)
		require.ErrorContains(t, err, "Total Main table size")
	}
	_, err := read("Failed to allocate memory for the main table.")
	require.ErrorContains(t, err, "Failed to allocate")
	long := strings.Repeat("x", 5000)
	_, err = read(long + "the end")
	require.ErrorContains(t, err, "the end")
	require.Less(t, len(err.Error()), 3000)
}
