// Package offspring kills processes that a connector started and that left its
// process group, as daemons do.
//
// The host marks each run of a connector with a variable of its environment,
// which every process inherits that the connector starts, whatever group,
// session or parent it gets. A process that was started with an environment of
// its own (env -i) has no mark and is not found.
package offspring

import (
	"crypto/rand"
	"encoding/hex"
)

// Env is the variable that holds the mark of a run.
const Env = "LOAM_CONNECTOR_RUN"

// NewMark returns the mark of a new run.
func NewMark() string {
	var mark [16]byte
	_, _ = rand.Read(mark[:]) // never fails
	return hex.EncodeToString(mark[:])
}
