// Package way follows one pebble through the runtime: its test builds the packages on the way so that each function
// tells of its calls, and counts those between a Send and the handler.
package way
