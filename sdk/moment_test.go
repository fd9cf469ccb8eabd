package sdk_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// texts keeps the text of each cell, NULL as "-".
type texts struct {
	record
	lines []string
}

func (s *texts) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		var cells []string
		for i, c := range s.columns {
			if b.Columns[i].IsNull(row) {
				cells = append(cells, "-")
				continue
			}
			cells = append(cells, string(b.Columns[i].AppendText(nil, c.Type, row)))
		}
		s.lines = append(s.lines, strings.Join(cells, " "))
	}
	return s.record.Batch(b)
}

func finer(digits int, types ...sdk.Type) []sdk.Column {
	all := columns(types...)
	for i := range all {
		all[i].TimeDigits = digits
	}
	return all
}

func TestTimesKeepTheirLastDigit(t *testing.T) {
	t.Parallel()
	sink := &texts{}
	w := sdk.NewRowWriter(sink, sdk.Limits{BatchRows: 4})
	if err := w.Columns(finer(9, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeTime)...); err != nil {
		t.Fatal(err)
	}
	berlin := time.FixedZone("", 60*60)
	moment := time.Date(2026, 1, 2, 3, 4, 5, 123_456_789, berlin)
	early := time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	for _, row := range [][]any{
		{time.Unix(0, 0), time.Unix(0, 0), time.Duration(0)},
		{moment, moment, moment},
		{nil, nil, nil},
		{early, early, early},
		// the next batch
		{early.Add(-time.Second), nil, -time.Nanosecond},
		{time.Unix(1, 0).UTC(), time.Unix(1, 10), -1500 * time.Nanosecond},
	} {
		if err := w.Row(row...); err != nil {
			t.Fatal(err)
		}
	}
	w.Moment(-1, 1)
	w.Moment(sdk.Infinity, 0)
	w.Moment(86_399_999_999, 999)
	if err := w.EndRow(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1970-01-01T00:00:00 1970-01-01T00:00:00Z 00:00:00",
		"2026-01-02T03:04:05.123456789 2026-01-02T02:04:05.123456789Z 03:04:05.123456789",
		"- - -",
		"1969-12-31T23:59:59.999999999 1969-12-31T23:59:59.999999999Z 23:59:59.999999999",
		"1969-12-31T23:59:58.999999999 - -00:00:00.000000001",
		"1970-01-01T00:00:01 1970-01-01T00:00:01.00000001Z -00:00:00.0000015",
		"1969-12-31T23:59:59.999999001 infinity 23:59:59.999999999",
	}
	if diff := cmp.Diff(want, sink.lines); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func TestATimeFinerThanItsColumnIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		digits int
		typ    sdk.Type
		nanos  int
		fits   bool
	}{
		{"nothing beyond", 0, sdk.TypeTimestamp, 0, true},
		{"microseconds", 6, sdk.TypeTimestamp, 100, false},
		{"seven digits", 7, sdk.TypeTimestamp, 900, true},
		{"eight of seven", 7, sdk.TypeTimestamp, 910, false},
		{"eight", 8, sdk.TypeTime, 910, true},
		{"nine of eight", 8, sdk.TypeTime, 911, false},
		{"nine", 9, sdk.TypeTimestampTZ, 1, true},
		{"a microsecond", 9, sdk.TypeTimestamp, 1000, false},
		{"backward", 9, sdk.TypeTimestamp, -1, false},
		{"a date", 9, sdk.TypeDate, 1, false},
		{"a number", 9, sdk.TypeInt64, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := sdk.NewRowWriter(&record{}, sdk.Limits{})
			if err := w.Columns(finer(tt.digits, tt.typ)...); err != nil {
				t.Fatal(err)
			}
			w.Moment(1, tt.nanos)
			if err := w.EndRow(); tt.fits != (err == nil) || !tt.fits && sdk.KindOf(err) != sdk.KindInternal {
				t.Errorf("got %v; fits: %v", err, tt.fits)
			}
		})
	}
}

// A row over the limit, and rows of a batch that are cut off, take their digits along.
func TestDigitsOfCutRowsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	sink := &texts{}
	w := sdk.NewRowWriter(sink, sdk.Limits{MaxRows: 1})
	if err := w.Columns(finer(9, sdk.TypeTimestamp)...); err != nil {
		t.Fatal(err)
	}
	_ = w.Row(time.Unix(0, 1))
	_ = w.Row(time.Unix(0, 2))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1970-01-01T00:00:00.000000001"}, sink.lines); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	all := &sdk.Batch{Rows: 2, Columns: []sdk.Vector{{I64: []int64{0, 0}, Nanos: []uint32{1, 2}}}}
	for _, head := range []*sdk.Batch{all.Head(1, sink.columns), {Rows: 1, Columns: []sdk.Vector{{I64: []int64{0}}}}} {
		if err := head.Check(sink.columns); err != nil {
			t.Error(err)
		}
	}
	for name, bad := range map[string]sdk.Vector{
		"fewer than rows": {I64: []int64{0, 0}, Nanos: []uint32{1}},
		"a microsecond":   {I64: []int64{0, 0}, Nanos: []uint32{1, 1000}},
	} {
		if err := (&sdk.Batch{Rows: 2, Columns: []sdk.Vector{bad}}).Check(sink.columns); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := all.Check(finer(6, sdk.TypeTimestamp)); err == nil {
		t.Error("nanoseconds of a column of microseconds: accepted")
	}
}
