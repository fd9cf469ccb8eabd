package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  sdk.Error
		want string
	}{
		{sdk.Error{Kind: sdk.KindSyntax, Op: "run query", Msg: "unexpected FROM", Code: "42601", Pos: sdk.Position{Line: 2, Column: 7}, Hint: "not shown"}, "run query: unexpected FROM (42601) at line 2, column 7"},
		{sdk.Error{Kind: sdk.KindSyntax, Msg: "incorrect syntax", Code: "102", Pos: sdk.Position{Line: 3}}, "incorrect syntax (102) at line 3"},
		{sdk.Error{Kind: sdk.KindUnavailable, Err: io.EOF}, "EOF"},
		{sdk.Error{Kind: sdk.KindDenied}, "denied"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestErrorfKeepsWhatItWraps(t *testing.T) {
	t.Parallel()
	one := sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "read: %w", io.EOF)
	if !errors.Is(one, io.EOF) || one.Error() != "read: EOF" {
		t.Errorf("got %v", one)
	}
	two := sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "%w and %w", io.EOF, io.ErrClosedPipe)
	if !errors.Is(two, io.EOF) || !errors.Is(two, io.ErrClosedPipe) {
		t.Errorf("got %v", two)
	}
}

func TestKindOfAndAsError(t *testing.T) {
	t.Parallel()
	denied := sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "no")
	for _, tt := range []struct {
		name           string
		err            error
		kind           sdk.Kind
		source         sdk.Source
		wantRetry, nil bool
	}{
		{name: "nil", err: nil, kind: "", nil: true},
		{name: "an Error", err: denied, kind: sdk.KindDenied, source: sdk.SourceWarehouse},
		{name: "a wrapped Error", err: fmt.Errorf("open: %w", denied), kind: sdk.KindDenied, source: sdk.SourceWarehouse},
		{name: "another error", err: io.EOF, kind: sdk.KindInternal, source: sdk.SourceConnector},
		{name: "a cancelled context", err: fmt.Errorf("run: %w", context.Canceled), kind: sdk.KindCanceled, source: sdk.SourceCaller},
		{name: "a deadline", err: context.DeadlineExceeded, kind: sdk.KindTimeout, source: sdk.SourceCaller, wantRetry: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := sdk.KindOf(tt.err); got != tt.kind {
				t.Errorf("KindOf: %q, want %q", got, tt.kind)
			}
			e := sdk.AsError(tt.err, sdk.SourceConnector)
			if (e == nil) != tt.nil {
				t.Fatalf("AsError: %v", e)
			}
			if e != nil && (e.Kind != tt.kind || e.Source != tt.source || e.Retry != tt.wantRetry) {
				t.Errorf("AsError: %+v", e)
			}
		})
	}
}

func TestKindsAreDistinct(t *testing.T) {
	t.Parallel()
	seen := map[sdk.Kind]bool{}
	for _, k := range sdk.Kinds() {
		if k == "" || seen[k] {
			t.Errorf("kind %q is empty or listed twice", k)
		}
		seen[k] = true
	}
}

func TestPositionAt(t *testing.T) {
	t.Parallel()
	const sql = "SELECT é,\n\n  x😀"
	for _, tt := range []struct {
		chars, bytes int
		want         sdk.Position
	}{
		{0, 0, sdk.Position{Line: 1, Column: 1}},
		{8, 9, sdk.Position{Line: 1, Column: 9}}, // the comma, behind a two-byte letter
		{10, 11, sdk.Position{Line: 2, Column: 1}},
		{13, 14, sdk.Position{Line: 3, Column: 3}},
		{99, 99, sdk.Position{Line: 3, Column: 5}},
		{-1, -1, sdk.Position{Line: 1, Column: 1}},
	} {
		if diff := cmp.Diff(tt.want, sdk.PositionAt(sql, tt.chars)); diff != "" {
			t.Errorf("character %d (-want +got):\n%s", tt.chars, diff)
		}
		if diff := cmp.Diff(tt.want, sdk.PositionAtByte(sql, tt.bytes)); diff != "" {
			t.Errorf("byte %d (-want +got):\n%s", tt.bytes, diff)
		}
	}
}
