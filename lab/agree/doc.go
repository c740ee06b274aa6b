// Command agree compares simulated times with measured ones, on the machine that it runs on: see docs/guide-simulation.md.
//
// It works in rounds. Each measures the parameters of the machine and what pebbles of the applications cost, with as many ranks on one
// core; measures the applications themselves, at 2, 4 and 8 ranks, over memory and TCP, three times; and simulates the same with the parameters
// of its round, since the speed of a shared machine changes by the minute. Nothing that is simulated is fitted to a run that it is
// compared with. The page has means over rounds.
package main
