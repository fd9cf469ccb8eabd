//go:build !cgo

package duckdb

import (
	"context"

	"github.com/loam-data/loam/sdk"
)

// open implements sdk.Connector.Open.
func open(context.Context, sdk.OpenRequest) (sdk.Session, error) {
	return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "this build has no DuckDB: it was made without a C compiler").
		WithHint("install a build for this system, or build loam-connector-duckdb with gcc or clang and CGO_ENABLED=1")
}

// test implements sdk.Connector.Test.
func test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	_, err := open(ctx, req)
	report(sdk.TestStep{Name: "open", Err: sdk.AsError(err, sdk.SourceConnector)})
	return nil
}
