package scan

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// Where a warehouse bills by bytes, a scan keeps to its budget: each profile may read
// what is left, and what comes after the end of it is left out and told.
func TestScanKeepsToItsBytes(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for _, tt := range []struct {
		name    string
		billing sdk.Billing
		limit   int64
		most    []int64 // of each profile
		left    int
	}{
		{"nothing is billed", "", 0, []int64{0, 0, 0, 0}, 0},
		{"by time", sdk.BillingTime, 0, []int64{0, 0, 0, 0}, 0},
		{"by bytes", sdk.BillingBytes, 0, []int64{9 * gib, 5 * gib, 1 * gib}, 1},
		{"by bytes, with a limit", sdk.BillingBytes, 6 * gib, []int64{5 * gib, 1 * gib}, 2},
		{"by time, with a limit", sdk.BillingTime, 100 * gib, []int64{99 * gib, 95 * gib, 91 * gib, 87 * gib}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tables []*sdk.Table
			for i := range 4 {
				tables = append(tables, &sdk.Table{
					TableRef: sdk.TableRef{Schema: "s", Name: fmt.Sprintf("t%d", i)}, Kind: sdk.TableBase, RowEstimate: 1, ByteEstimate: -1,
					Columns: []sdk.Column{{Name: "id", Type: sdk.TypeInt64, NativeType: "int"}},
				})
			}
			f := newFake(t, tables...)
			f.description.Capabilities.Billing, f.connection.Scan.MaxBytes, f.billed = tt.billing, tt.limit, gib
			var most []int64
			f.profiled = func(_ context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
				f.mu.Lock()
				most = append(most, req.MaxBytesScanned)
				f.mu.Unlock()
				w.Sample().SetBytesBilled(4 * gib)
				return session{f}.stats(req, w)
			}
			r := f.run(t, Request{})
			if diff := cmp.Diff(tt.most, most); diff != "" {
				t.Errorf("what each profile may read (-want +got):\n%s", diff)
			}
			if want := int64(1+4*len(tt.most)) * gib; r.BytesBilled != want || r.LeftOut != tt.left {
				t.Errorf("billed %d, want %d; %d left out, want %d", r.BytesBilled, want, r.LeftOut, tt.left)
			}
			if told := len(r.Coverage.Warnings) > 0; told != (tt.left > 0) {
				t.Errorf("warnings %v", r.Coverage.Warnings)
			}
		})
	}
}
