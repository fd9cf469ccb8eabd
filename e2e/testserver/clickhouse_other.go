//go:build !unix

package testserver

import "errors"

func startClickHouse18(string) (*ClickHouse18Server, error) { return nil, errors.ErrUnsupported }
