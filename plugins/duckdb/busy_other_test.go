//go:build cgo && !linux

package duckdb_test

import (
	"context"
	"errors"
)

// busy can only be told where the system shows what its threads do.
func busy(context.Context) (bool, error) {
	return false, errors.New("only Linux shows the state of a thread")
}
