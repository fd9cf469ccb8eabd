//go:build race

package oracle_test

// raceDetector makes the oracle slow, which runs in one goroutine anyway.
const raceDetector = true
