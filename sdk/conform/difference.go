package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// difference returns how two values of a program differ, "" = they do not.
// Shape: two lines for each place, the first value behind "-" and the second behind "+"; an element that only one of
// two lists or maps has is one line.
// Nil equals empty in lists and maps, raw JSON is compared by its value, a time by its instant. The values form no cycle.
func difference(before, after any) string {
	var c comparison
	c.compare("", reflect.ValueOf(before), reflect.ValueOf(after))
	return strings.Join(c.lines, "\n")
}

// comparison collects the differences of two values.
type comparison struct{ lines []string }

func (c *comparison) removed(path string, v reflect.Value) { c.line('-', path, v) }

func (c *comparison) added(path string, v reflect.Value) { c.line('+', path, v) }

func (c *comparison) line(sign rune, path string, v reflect.Value) {
	if path != "" {
		path += ": "
	}
	c.lines = append(c.lines, fmt.Sprintf("  %c %s%s", sign, path, shown(v)))
}

func (c *comparison) changed(path string, before, after reflect.Value) {
	c.removed(path, before)
	c.added(path, after)
}

var (
	rawJSON = reflect.TypeFor[json.RawMessage]()
	instant = reflect.TypeFor[time.Time]()
)

func (c *comparison) compare(path string, before, after reflect.Value) {
	switch {
	case !before.IsValid() || !after.IsValid():
		if before.IsValid() != after.IsValid() {
			c.changed(path, before, after)
		}
		return
	case before.Type() != after.Type():
		c.changed(path, before, after)
		return
	case before.Type() == rawJSON:
		c.compareJSON(path, before, after)
		return
	case before.Type() == instant && before.CanInterface():
		if !before.Interface().(time.Time).Equal(after.Interface().(time.Time)) {
			c.changed(path, before, after)
		}
		return
	}
	switch before.Kind() {
	case reflect.Pointer, reflect.Interface:
		if before.IsNil() != after.IsNil() {
			c.changed(path, before, after)
			return
		}
		c.compare(path, before.Elem(), after.Elem())
	case reflect.Struct:
		for i := range before.NumField() {
			c.compare(path+"."+before.Type().Field(i).Name, before.Field(i), after.Field(i))
		}
	case reflect.Slice, reflect.Array:
		c.compareLists(path, before, after)
	case reflect.Map:
		c.compareMaps(path, before, after)
	default:
		if !before.Equal(after) {
			c.changed(path, before, after)
		}
	}
}

// compareJSON compares what is no JSON as text.
func (c *comparison) compareJSON(path string, before, after reflect.Value) {
	var x, y any
	if json.Unmarshal(before.Bytes(), &x) == nil && json.Unmarshal(after.Bytes(), &y) == nil {
		c.compare(path, reflect.ValueOf(x), reflect.ValueOf(y))
	} else if string(before.Bytes()) != string(after.Bytes()) {
		c.changed(path, before, after)
	}
}

// compareLists compares lists of one length by position. Of others it reports what is between the elements that both
// begin with and those that both end with.
func (c *comparison) compareLists(path string, before, after reflect.Value) {
	n, m := before.Len(), after.Len()
	if n == m {
		for i := range n {
			c.compare(fmt.Sprintf("%s[%d]", path, i), before.Index(i), after.Index(i))
		}
		return
	}
	first, last := 0, 0
	for first < min(n, m) && equal(before.Index(first), after.Index(first)) {
		first++
	}
	for last < min(n, m)-first && equal(before.Index(n-1-last), after.Index(m-1-last)) {
		last++
	}
	for i := first; i < n-last; i++ {
		c.removed(fmt.Sprintf("%s[%d]", path, i), before.Index(i))
	}
	for i := first; i < m-last; i++ {
		c.added(fmt.Sprintf("%s[%d]", path, i), after.Index(i))
	}
}

func equal(before, after reflect.Value) bool {
	var c comparison
	c.compare("", before, after)
	return len(c.lines) == 0
}

func (c *comparison) compareMaps(path string, before, after reflect.Value) {
	keys := map[string]reflect.Value{}
	for _, key := range slices.Concat(before.MapKeys(), after.MapKeys()) {
		keys[shown(key)] = key
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		at, x, y := path+"["+name+"]", before.MapIndex(keys[name]), after.MapIndex(keys[name])
		switch {
		case !y.IsValid():
			c.removed(at, x)
		case !x.IsValid():
			c.added(at, y)
		default:
			c.compare(at, x, y)
		}
	}
}

// shown writes a value: text and bytes in quotes, a pointer as its target.
func shown(v reflect.Value) string {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return "nil"
	case v.Kind() == reflect.String, v.Type() == reflect.TypeFor[[]byte](), v.Type() == rawJSON:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprintf("%+v", v)
}
