//go:build !race

package oracle_test

const raceDetector = false
