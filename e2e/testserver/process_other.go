//go:build !unix

package testserver

import (
	"errors"
	"testing"
)

type process struct{}

func (*process) stop() {}

func (*process) stopped() bool { return true }

func startPostgres(string) (*PostgresServer, error) { return nil, errors.ErrUnsupported }

// OtherAuthority skips the test.
func OtherAuthority(t testing.TB) string {
	t.Skip("no certificates are made here")
	return ""
}
