//go:build !unix

package testserver

import (
	"context"
	"errors"
)

func compilerProblem(context.Context) string { return "its library is for Linux" }

func startFront(string) (*ClickHouseServer, error) { return nil, errors.ErrUnsupported }
