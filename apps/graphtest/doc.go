// Package graphtest has the tests of the applications that go over graphs: each finds what its serial twin does, on odd
// graphs, on random ones and on those of public data, and its verifier tells a result that is spoiled.
package graphtest
