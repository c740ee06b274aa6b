//go:build race

package main

// raceDetector tells that these tests run about twenty times slower.
const raceDetector = true
