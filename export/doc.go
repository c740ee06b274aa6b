// Package export writes files by all ranks of an Active Pebbles job.
package export
