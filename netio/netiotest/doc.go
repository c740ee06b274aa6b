// Package netiotest tests the promises of package netio. Every transport of Active Pebbles runs the same suite, [Run],
// in its own tests.
package netiotest
