// Package apps holds what the applications of Active Pebbles for Go have in common: how a kernel is timed and what a
// run reports. Each application is a package below this one, with a serial twin and a verifier of its own, and a
// command of cmd/pebbles.
package apps
