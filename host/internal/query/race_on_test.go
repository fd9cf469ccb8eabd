//go:build race

package query

// raceDetector: sync.Pool drops values at random, and so allocates.
const raceDetector = true
