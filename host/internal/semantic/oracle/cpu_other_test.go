//go:build !unix

package oracle_test

import (
	"testing"
	"time"
)

var started = time.Now()

// processorTime is the time on the wall where the processor's is not known.
func processorTime(testing.TB) time.Duration { return time.Since(started) }
