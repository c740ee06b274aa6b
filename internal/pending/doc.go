// Package pending keeps what layers know of operations that have started and are not done: a [Table] numbers them, so
// that an answer from outside finds its operation, and [Fences] tell when all that started before a moment are done.
package pending
