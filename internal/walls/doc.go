// Package walls holds no code. Its tests hold the table of the import walls: which folder may import what, and which
// may read the clock. They check every file of the module against the table, generate the linter's rules in
// .golangci.yml from it, and compare the two import by import.
package walls
