// Package limits measures the limits of this machine: table updates without messages, copies of memory, bare TCP and a
// bare ring in shared memory. Messages cannot be faster than their medium, so figures of applications are given as
// fractions of these. Each measurement verifies its work.
package limits
