//go:build !unix

package testserver

import "errors"

func compilerProblem() string { return "its library is for Linux" }

func startFront(string) (*ClickHouseServer, error) { return nil, errors.ErrUnsupported }
