// Package netiotest tests the promises of package netio. Every transport runs the same suite, [Run], in its own tests.
package netiotest
