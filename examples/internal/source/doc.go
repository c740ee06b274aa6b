// Package source counts the lines of the examples of Active Pebbles, so that their tests can hold them short.
package source
