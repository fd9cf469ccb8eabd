package catalog

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
)

// fill sets everything in v to something that is not zero, so that a field that
// is added to the vocabulary and not to the codec is missed.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*n), 7).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]sdk.Column]() && *n > 60 { // fields of fields
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, n)
			fill(value, n)
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.String:
		v.SetString("é\x00" + string(rune('a'+*n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*n) + .5)
	case reflect.Int, reflect.Int64:
		v.SetInt(-int64(*n) << 33)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 10))
	case reflect.Uint64:
		v.SetUint(^uint64(*n))
	}
}

func TestBlocksHoldEverything(t *testing.T) {
	t.Parallel()
	var table sdk.Table
	n := 0
	fill(reflect.ValueOf(&table).Elem(), &n)
	// These are the directory's, or of the way a table was sent.
	got := sdk.Table{TableRef: table.TableRef, RowEstimate: table.RowEstimate, ByteEstimate: table.ByteEstimate, Unchanged: true}
	if err := decodeTable(string(appendTable(nil, &table)), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(table, got); diff != "" {
		t.Errorf("a table (-want +got):\n%s", diff)
	}

	var profile Profile
	fill(reflect.ValueOf(&profile).Elem(), &n)
	back, err := decodeProfile(string(appendProfile(nil, &profile)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&profile, back); diff != "" {
		t.Errorf("a profile (-want +got):\n%s", diff)
	}
	empty, err := decodeProfile(string(appendProfile(nil, &Profile{})))
	if err != nil || !cmp.Equal(empty, &Profile{}) {
		t.Errorf("an empty profile became %v, %v", empty, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendTable(nil, &sdk.Table{Comment: "c", Columns: []sdk.Column{{Name: "a"}}}))
	f.Add(appendProfile(nil, &Profile{Stats: []sdk.ColumnStats{{Column: "a", Values: []string{"v"}, Sketch: []uint64{1}}}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, block []byte) {
		var table sdk.Table
		if decodeTable(string(block), &table) == nil {
			var again sdk.Table
			if err := decodeTable(string(appendTable(nil, &table)), &again); err != nil || !cmp.Equal(table, again) {
				t.Errorf("a table changed on its way: %v", err)
			}
		}
		if p, err := decodeProfile(string(block)); err == nil {
			appendProfile(nil, p)
		}
	})
}
