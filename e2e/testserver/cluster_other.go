//go:build !unix

package testserver

import "errors"

type cluster struct{}

func (*cluster) stop() {}

func (*cluster) stopped() bool { return true }

func startPostgres(string) (*PostgresServer, error) { return nil, errors.ErrUnsupported }
