//go:build !unix

package testserver

import "errors"

type process struct{}

func (*process) stop() {}

func (*process) stopped() bool { return true }

func startPostgres(string) (*PostgresServer, error) { return nil, errors.ErrUnsupported }
