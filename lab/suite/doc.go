// Package suite is the table of what pebbles-lab bench measures: every application over transports, ranks and sizes,
// beside what the machine can do at most. A new transport, mode or application is a new row.
package suite
