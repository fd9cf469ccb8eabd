// Package rows is a connector that makes up rows as fast as it can: what is
// measured through it is the way between host and connector and nothing else.
package rows

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

type config struct{}

// Connector answers the statement "N" with N rows of ten columns.
func Connector() *sdk.Connector {
	return &sdk.Connector{
		ID: "rows", Version: "1.0.0", DisplayName: "Made-up rows", License: "Apache-2.0",
		Capabilities: sdk.Capabilities{ReadOnly: sdk.ReadOnlyEngine},
		Dialects:     []dialect.Dialect{{Name: "rows"}},
		Config:       sdk.ConfigOf[config](),
		Open:         func(context.Context, sdk.OpenRequest) (sdk.Session, error) { return session{}, nil },
	}
}

type session struct{}

var columns = []sdk.Column{
	{Name: "id", Type: sdk.TypeInt64},
	{Name: "customer", Type: sdk.TypeInt64},
	{Name: "amount", Type: sdk.TypeFloat64},
	{Name: "paid", Type: sdk.TypeBool},
	{Name: "at", Type: sdk.TypeTimestampTZ},
	{Name: "day", Type: sdk.TypeDate},
	{Name: "price", Type: sdk.TypeDecimal},
	{Name: "status", Type: sdk.TypeText},
	{Name: "name", Type: sdk.TypeText},
	{Name: "note", Type: sdk.TypeText},
}

func (session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	count, err := strconv.ParseInt(strings.TrimSpace(req.SQL), 10, 64)
	if err != nil {
		return sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "%q is no number of rows", req.SQL)
	}
	if err := w.Columns(columns...); err != nil {
		return err
	}
	price := make([]byte, 0, 16)
	for i := range count {
		w.Int64(i)
		w.Int64(i % 9973)
		w.Float64(float64(i) / 7)
		w.Bool(i%3 == 0)
		w.Int64(1_700_000_000_000_000 + i)
		w.Int64(19_000 + i%700)
		price = append(strconv.AppendInt(price[:0], i%100_000, 10), ".25"...)
		w.Bytes(price)
		w.Text("shipped")
		w.Text("a product name of ordinary length")
		if i%5 == 0 {
			w.Null()
		} else {
			w.Text("note")
		}
		if err := w.EndRow(); errors.Is(err, sdk.ErrLimit) {
			return nil
		} else if err != nil {
			return err
		}
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (session) Server() sdk.ServerInfo {
	return sdk.ServerInfo{Product: "rows", Version: "1", ReadOnly: sdk.ReadOnlyEngine}
}
func (session) Ping(context.Context) error { return nil }
func (session) Scan(context.Context, sdk.ScanRequest, sdk.ScanWriter) (sdk.ScanSummary, error) {
	return sdk.ScanSummary{Complete: true}, nil
}
func (session) Close(context.Context) error { return nil }
