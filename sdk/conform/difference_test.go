package conform

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

func TestDifference(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, after any
		want          []string
	}{
		"equal":             {sdk.Column{Name: "a"}, sdk.Column{Name: "a"}, nil},
		"nil and empty":     {sdk.Table{}, sdk.Table{Columns: []sdk.Column{}, Properties: map[string]string{}}, nil},
		"JSON as written":   {json.RawMessage(`{"a":1,"b":2}`), json.RawMessage(`{"b": 2, "a": 1}`), nil},
		"one instant":       {time.Unix(1, 0).UTC(), time.Unix(1, 0).In(time.FixedZone("", 3600)), nil},
		"a field":           {sdk.Column{Name: "a"}, sdk.Column{Name: "b"}, []string{`- .Name: "a"`, `+ .Name: "b"`}},
		"JSON":              {json.RawMessage(`{"a":1}`), json.RawMessage(`{"a":2}`), []string{"- [\"a\"]: 1", "+ [\"a\"]: 2"}},
		"text for JSON":     {json.RawMessage(`{`), json.RawMessage(`{}`), []string{`- "{"`, `+ "{}"`}},
		"a missing element": {[]string{"a", "b", "c"}, []string{"a", "c"}, []string{`- [1]: "b"`}},
		"another element":   {[]string{"a", "c"}, []string{"a", "b", "c"}, []string{`+ [1]: "b"`}},
		"repeated elements": {[]string{"a", "a"}, []string{"a", "a", "a"}, []string{`+ [2]: "a"`}},
		"keys":              {map[string]int{"a": 1, "b": 2}, map[string]int{"b": 3, "c": 4}, []string{`- ["a"]: 1`, `- ["b"]: 2`, `+ ["b"]: 3`, `+ ["c"]: 4`}},
		"a type":            {[]any{1}, []any{"1"}, []string{`- [0]: 1`, `+ [0]: "1"`}},
		"nothing":           {[]any{nil}, []any{false}, []string{`- [0]: nil`, `+ [0]: false`}},
		"a pointer":         {&sdk.ServerInfo{}, (*sdk.ServerInfo)(nil), []string{"- {Product:", "+ nil"}},
		"only one":          {nil, any([][]any{{"a"}}), []string{"- nil", "+ [[a]]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := strings.FieldsFunc(difference(tt.before, tt.after), func(r rune) bool { return r == '\n' })
			if len(lines) != len(tt.want) {
				t.Fatalf("%d lines, want %d:\n%s", len(lines), len(tt.want), strings.Join(lines, "\n"))
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, "  "+tt.want[i]) {
					t.Errorf("line %d is %q, want %q", i, line, tt.want[i])
				}
			}
		})
	}
}

// TestDifferenceSeesEveryField changes each field of what the suite compares, at any depth.
func TestDifferenceSeesEveryField(t *testing.T) {
	t.Parallel()
	for typ, least := range map[reflect.Type]int{
		reflect.TypeFor[sdk.Description](): 100, reflect.TypeFor[sdk.ServerInfo](): 50, reflect.TypeFor[sdk.Table](): 30,
		reflect.TypeFor[[]sdk.Warning](): 4, reflect.TypeFor[map[string]*sdk.Table](): 60,
	} {
		fresh := func() reflect.Value {
			v := reflect.New(typ).Elem()
			fill(v, nil)
			return v
		}
		one := fresh()
		if found := difference(one.Interface(), fresh().Interface()); found != "" {
			t.Errorf("%s: equal values differ:\n%s", typ, found)
		}
		places := len(changes(fresh()))
		for i := range places {
			other := fresh()
			changes(other)[i]()
			found := difference(one.Interface(), other.Interface())
			if lines := strings.Split(found, "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "  - ") || !strings.HasPrefix(lines[1], "  + ") {
				t.Errorf("%s: change %d is reported as %q", typ, i, found)
			}
		}
		if places < least {
			t.Errorf("%s: only %d places were changed", typ, places)
		}
	}
}

// changes returns a function for each value without fields or elements, which changes it.
func changes(v reflect.Value) (all []func()) {
	switch {
	case v.Type() == instant:
		return []func(){func() { v.Set(reflect.ValueOf(time.Unix(2, 0))) }}
	case v.Type() == rawJSON:
		return []func(){func() { v.Set(reflect.ValueOf(json.RawMessage(`{"a": [1, "y"]}`))) }}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, changes(v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, changes(v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			for _, change := range changes(value) {
				all = append(all, func() { change(); v.SetMapIndex(key, value) })
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return changes(v.Elem())
		}
	case reflect.String:
		return []func(){func() { v.SetString("other") }}
	case reflect.Bool:
		return []func(){func() { v.SetBool(!v.Bool()) }}
	case reflect.Float64:
		return []func(){func() { v.SetFloat(2.5) }}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return []func(){func() { v.SetInt(4) }}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return []func(){func() { v.SetUint(4) }}
	}
	return all
}

// fill gives every field a value, and lists and maps two elements. A value inside others of its type stays empty.
func fill(v reflect.Value, inside []reflect.Type) {
	if slices.Contains(inside, v.Type()) {
		return
	}
	if v.Kind() == reflect.Struct {
		inside = append(slices.Clip(inside), v.Type())
	}
	if v.Type() == instant {
		v.Set(reflect.ValueOf(time.Unix(1, 0)))
		return
	}
	if v.Type() == rawJSON {
		v.Set(reflect.ValueOf(json.RawMessage(`{"a": [1, "x"]}`)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), inside)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), inside)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, name := range []string{"one", "two"} {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(name)
			fill(value, inside)
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), inside)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(3)
	}
}
