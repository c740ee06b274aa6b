// Package limits measures what this machine can do at most: table updates without messages, copies of memory, bare TCP
// and a bare ring in shared memory. Messages can't be faster than what carries them, so figures of applications are
// given as fractions of these. Each measurement verifies its work.
package limits
