// Package pending tracks operations that have started and are not done: a [Table] numbers them, so that an answer from
// outside finds its operation, and [Fences] report when all operations before a moment are done.
package pending
