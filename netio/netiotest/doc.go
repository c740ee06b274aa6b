// Package netiotest proves that a transport of Active Pebbles keeps the promises of package netio. Every transport runs
// the same suite, [Run], in its own tests.
package netiotest
