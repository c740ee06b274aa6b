// Command pebbles runs the applications of Active Pebbles for Go, and starts any program built on the library as a job
// of several processes:
//
//	pebbles randomaccess
//	pebbles bfs --graph web.el.gz --root 0 --procs 4 --json
//	pebbles run -n 4 -- ./program
//
// Each application prints a table, or with --json one object; nothing else goes to standard output. Progress, logs and
// errors go to standard error. The exit status is 0 only if the result was verified and all output was written;
// docs/contract.md lists the others.
package main

import "github.com/activepebbles/pebbles/cmd/internal/command"

func main() { command.Main(command.Pebbles()) }
