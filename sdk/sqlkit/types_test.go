package sqlkit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestTypesColumn(t *testing.T) {
	t.Parallel()
	table := sqlkit.Types{
		"NUMERIC": sdk.TypeDecimal, "TIMESTAMP WITH TIME ZONE": sdk.TypeTimestampTZ, "INT UNSIGNED": sdk.TypeInt64,
	}
	for native, want := range map[string]sdk.Column{
		"numeric(38,10)":              {Type: sdk.TypeDecimal, Precision: 38, Scale: 10},
		" Numeric ( 5 ) ":             {Type: sdk.TypeDecimal, Precision: 5},
		"numeric":                     {Type: sdk.TypeDecimal},
		"timestamp(6) with time zone": {Type: sdk.TypeTimestampTZ},
		"timestamp(9) with time zone": {Type: sdk.TypeTimestampTZ, TimeDigits: 9},
		"timestamp(12)with time zone": {Type: sdk.TypeText},
		"int(9) unsigned":             {Type: sdk.TypeInt64},
		"inet":                        {Type: sdk.TypeText},
		"":                            {Type: sdk.TypeText},
		"broken(":                     {Type: sdk.TypeText},
	} {
		want.Name, want.NativeType, want.Nullable = "c", native, true
		if diff := cmp.Diff(want, table.Column("c", native)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", native, diff)
		}
	}
}
