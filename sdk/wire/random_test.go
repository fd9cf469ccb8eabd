package wire

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// random fills values of the vocabulary by reflection, so that a field that the
// codec forgets shows up without a change here. Every field gets a value that
// is not zero, unless sparse says otherwise.
type random struct {
	*rand.Rand
	sparse bool
	within int // how many columns the one to fill is within
}

func newRandom(seed uint64, sparse bool) random {
	return random{Rand: rand.New(rand.NewPCG(seed, 1)), sparse: sparse}
}

// of fills what into points to; a pointer in it is never left nil.
func (r random) of(into any) {
	v := reflect.ValueOf(into).Elem()
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	r.fill(v, "")
}

func (r random) text() string {
	pool := []string{"a", "Straße", "日本", `"quoted"`, "new\nline", "\x00", "🙂", "select"}
	return pool[r.IntN(len(pool))] + fmt.Sprint(r.IntN(1000))
}

// special holds the types whose values are not free.
var special = map[reflect.Type]func(random) any{
	reflect.TypeFor[sdk.Type]():          func(r random) any { return sdk.Types()[r.IntN(len(sdk.Types()))] },
	reflect.TypeFor[sdk.ReadOnlyLevel](): func(r random) any { return sdk.ReadOnlyLevel(1 + r.IntN(3)) },
	reflect.TypeFor[sdk.Severity]():      func(r random) any { return sdk.Severity(1 + r.IntN(2)) },
	reflect.TypeFor[sdk.KeyKind]():       func(r random) any { return sdk.KeyKind(1 + r.IntN(5)) },
	reflect.TypeFor[sdk.Kind]():          func(r random) any { return sdk.Kinds()[r.IntN(len(sdk.Kinds()))] },
	reflect.TypeFor[sdk.Source](): func(r random) any {
		return []sdk.Source{sdk.SourceCaller, sdk.SourceHost, sdk.SourceConnector, sdk.SourceWarehouse}[r.IntN(4)]
	},
	reflect.TypeFor[sdk.Secret]():    func(r random) any { return sdk.NewSecret("\xff" + r.text()) },
	reflect.TypeFor[time.Duration](): func(r random) any { return time.Duration(1+r.IntN(5000)) * time.Second },
	reflect.TypeFor[time.Time]():     func(r random) any { return time.UnixMicro(1 + r.Int64N(1<<50)).UTC() },
	reflect.TypeFor[sdk.Value](): func(r random) any {
		return []sdk.Value{nil, true, int64(r.Uint64()), r.NormFloat64(), r.text(), []byte{0xff, byte(r.IntN(256))}}[r.IntN(6)]
	},
	reflect.TypeFor[json.RawMessage](): func(r random) any {
		raw, _ := json.Marshal(map[string]any{"type": "object", "x": []any{1.5, true, nil, r.text()}})
		return json.RawMessage(raw)
	},
}

func (r random) fill(v reflect.Value, field string) {
	if r.sparse && r.IntN(2) == 0 {
		return
	}
	if make, ok := special[v.Type()]; ok {
		if value := make(r); value != nil {
			v.Set(reflect.ValueOf(value))
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(r.text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1 + r.Int64N(1<<31-1))
	case reflect.Uint64:
		v.SetUint(r.Uint64() | 1)
	case reflect.Float64:
		v.SetFloat(1 + r.Float64())
	case reflect.Uint8:
		v.SetUint(uint64(1 + r.IntN(255)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.fill(v.Elem(), field)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]sdk.Column]() {
			if r.within++; r.within > 3 { // fields of fields
				return
			}
		}
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		for i := range v.Len() {
			r.fill(v.Index(i), field)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(r.text())
			r.fill(value, field)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Type != reflect.TypeFor[error]() {
				r.fill(v.Field(i), f.Name)
			}
		}
	default:
		panic("no random " + v.Type().String() + " for field " + field)
	}
}

// batch returns columns and a batch that fits them.
func (r random) batch() ([]sdk.Column, *sdk.Batch) {
	sink := &keep{}
	w := sdk.NewRowWriter(sink, sdk.Limits{BatchRows: 1 << 16})
	columns := make([]sdk.Column, r.IntN(20))
	for i := range columns {
		r.of(&columns[i].Type)
		if columns[i].Type == sdk.TypeUnspecified {
			columns[i].Type = sdk.TypeText
		}
		columns[i].TimeDigits = r.IntN(10)
	}
	_ = w.Columns(columns...)
	for range 1 + r.IntN(100) {
		for _, c := range columns {
			switch {
			case r.IntN(4) == 0:
				w.Null()
			case c.Type.Layout() == sdk.LayoutBits:
				w.Bool(r.IntN(2) == 0)
			case c.Finer() && r.IntN(2) == 0:
				w.Moment(int64(r.Uint64()), 100*r.IntN(10))
			case c.Type.Layout() == sdk.LayoutInt64:
				w.Int64(int64(r.Uint64()))
			case c.Type.Layout() == sdk.LayoutFloat64:
				w.Float64(r.NormFloat64())
			default:
				w.Bytes([]byte(strings.Repeat("x\xff", r.IntN(5))))
			}
		}
		_ = w.EndRow()
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return columns, sink.batches[len(sink.batches)-1]
}
