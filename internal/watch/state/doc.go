// Package state holds the state of a job at one moment, as plain data: the published state of its ranks, by process,
// and conclusions from it. Page, metrics, records and reports use it. The package is pure: all its inputs are
// arguments.
package state
