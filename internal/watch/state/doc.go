// Package state is what is known of a job at one moment, as plain data: what its ranks have published, put together by
// process, and what can be concluded from that. Page, metrics, records and reports are made of it. It is pure: it is
// handed all that it looks at.
package state
