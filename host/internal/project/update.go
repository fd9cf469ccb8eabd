package project

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// Update changes the configuration, display name and description of a connection in the
// project file in dir from those of was to those of c, and returns the project as it was
// written. All other lines of the file stay as they are.
// Errors: KindConflict when the file no longer has the connection as was, KindInvalid
// for values that YAML cannot express, KindUnsupported for a file that cannot be edited
// in place (the hint has the lines of the connection), those of Load.
func Update(ctx context.Context, dir string, was, c connection.Connection) (*Project, error) {
	var written []byte
	err := edit(ctx, dir, func(text []byte) (_ []byte, err error) {
		written, err = update(text, dir, was, c)
		return written, err
	})
	if err != nil {
		return nil, err
	}
	return parse(dir, written)
}

func update(text []byte, dir string, was, c connection.Connection) ([]byte, error) {
	before, err := parse(dir, text)
	if err != nil {
		return nil, err
	}
	now, err := before.Connections.Get(was.ID)
	if err != nil {
		return nil, err
	}
	if !same(now, was) {
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "connection %q was changed by someone else in this moment", was.ID).WithHint("run the command again")
		e.Retry = true
		return nil, e
	}
	entry, err := render(c, 2)
	if err != nil {
		return nil, err
	}
	if err := storable(entry, c, dir); err != nil {
		return nil, err
	}
	want := before.Connections.All()
	for i := range want {
		if want[i].ID == c.ID {
			want[i] = normal(c, dir)
		}
	}
	changed, ok := text, true
	for _, change := range differences(was, c) {
		if changed, ok = splice(changed, string(c.ID), change); !ok {
			break
		}
	}
	if !ok || !holds(changed, dir, want) {
		return nil, uneditable().WithHint("write these lines in the place of connections.%s yourself:\n%s", c.ID, indent(entry, "  "))
	}
	return changed, nil
}

// difference is a key below a connection and its new value.
type difference struct {
	path  []string
	value any
	gone  bool // the key is taken out
}

func differences(was, c connection.Connection) (found []difference) {
	for _, text := range []struct{ key, was, now string }{
		{"display_name", was.DisplayName, c.DisplayName}, {"description", was.Description, c.Description},
	} {
		if text.was != text.now {
			found = append(found, difference{[]string{text.key}, text.now, text.now == ""})
		}
	}
	return append(found, configDifferences([]string{"config"}, was.Config, c.Config)...)
}

func configDifferences(path []string, was, now map[string]any) (found []difference) {
	for _, key := range slices.Sorted(maps.Keys(was)) {
		if _, still := now[key]; !still {
			found = append(found, difference{append(slices.Clone(path), key), nil, true})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		value, given := was[key]
		at := append(slices.Clone(path), key)
		inner, wasMap := value.(map[string]any)
		next, isMap := now[key].(map[string]any)
		switch {
		case given && wasMap && isMap:
			found = append(found, configDifferences(at, inner, next)...)
		case !given || !reflect.DeepEqual(value, now[key]):
			found = append(found, difference{at, now[key], false})
		}
	}
	return found
}
