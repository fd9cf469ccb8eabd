//go:build !unix

package testserver

import "errors"

func startClickHouse(string) (*ClickHouseServer, error) { return nil, errors.ErrUnsupported }
