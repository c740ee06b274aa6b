// Package graphtest tests the applications that go over graphs. Each agrees with its serial twin, on odd, random and
// public graphs, and its verifier notices a spoiled result.
package graphtest
