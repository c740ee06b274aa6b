// Package suite is the table of the measurements of pebbles-lab bench: every application over transports, ranks and
// sizes, next to the limits of the machine. A new transport, mode or application is a new row.
package suite
