// Command bench measures Active Pebbles for Go on this machine and writes docs/measurements.md.
//
//	go run ./bench                 # print the tables
//	go run ./bench -write          # and put them into docs/measurements.md
//	go run ./bench -only cache     # measure the rows whose group or name matches, to look into them
//
// What is compared runs alternately in one run, because machines drift; each figure is the median of the repeats, with
// the lowest and the highest beside it. Every run verifies its work, and a wrong answer ends the measurement.
package main
