package pebble

// Checked tells that this build compares goroutines at each call.
const Checked = checked

// Refactoring marks messages that order another coalescing factor.
const Refactoring = uint32(refactoring)
