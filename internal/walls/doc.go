// Package walls holds no code. Its tests have the table of the import walls: the imports that each folder may have, and
// the folders that may read the clock. They check every file of the module against the table, generate the linter's
// rules in .golangci.yml from it, and compare the two import by import.
package walls
