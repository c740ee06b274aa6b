// Command bench measures Active Pebbles for Go on this machine and writes docs/measurements.md.
//
//	go run ./bench                 # print the table
//	go run ./bench -write          # and put it into docs/measurements.md
//
// What is compared runs alternately in one run, because machines drift; each figure is the median of the repeats, with
// the lowest and the highest beside it. Every run of an application verifies its work, and a wrong answer ends the
// measurement.
package main
