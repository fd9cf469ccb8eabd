//go:build race

package host

// raceDetector: it allocates.
const raceDetector = true
