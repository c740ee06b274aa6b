// Package appstest runs a test of an application of Active Pebbles for Go over every shape of the synthetic network:
// transports, topologies, coalescing factors, cache sizes and numbers of ranks. The shape is to be invisible (promise 6
// of docs/contract.md), so one test body with one expected answer serves all.
package appstest
