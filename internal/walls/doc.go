// Package walls holds no code. Its tests hold up the walls between the folders of Active Pebbles: which folder may
// import what, and which may read the clock. The linter's rules in .golangci.yml say the same, for editors and reviews;
// a test compares the two import by import, so that neither can weaken alone.
package walls
