package project

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// Add writes a connection into the project file in dir and returns the project as
// it was written. Every line of the file stays as it is; the new ones come last
// among the connections.
// Errors: KindConflict when the id is taken or the file changed meanwhile,
// KindInvalid for a broken file or a connection that YAML cannot express,
// KindUnsupported for a file that cannot be edited in place (the hint has the
// lines to add), those of Load.
func Add(ctx context.Context, dir string, c connection.Connection) (*Project, error) {
	if err := c.ID.Validate(); err != nil {
		return nil, err
	}
	var written []byte
	err := edit(ctx, dir, func(text []byte) (_ []byte, err error) {
		written, err = add(text, dir, c)
		return written, err
	})
	if err != nil {
		return nil, err
	}
	return parse(dir, written)
}

// Remove takes a connection out of the project file in dir, with the comment
// right above it. Every other line stays as it is.
// Errors: KindNotFound with the known ids, KindUnsupported for a file that
// cannot be edited in place, those of Load.
func Remove(ctx context.Context, dir string, id connection.ID) error {
	return edit(ctx, dir, func(text []byte) ([]byte, error) { return remove(text, dir, id) })
}

func edit(ctx context.Context, dir string, change func([]byte) ([]byte, error)) (err error) {
	file := filepath.Join(dir, FileName)
	if _, err := read(file); err != nil {
		return err // before .loam is made where there is no project
	}
	unlock, err := Lock(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	was, err := read(file)
	if err != nil {
		return err
	}
	now, err := change(was)
	if err != nil {
		return err
	}
	return replace(file, was, now)
}

func add(text []byte, dir string, c connection.Connection) ([]byte, error) {
	before, err := parse(dir, text)
	if err != nil {
		return nil, err
	}
	if _, err := before.Connections.Get(c.ID); err == nil {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "there is a connection %q already", c.ID).
			WithHint("choose another id, or remove it first: loam connection remove %s", c.ID)
	}
	entry, err := render(c, 2)
	if err != nil {
		return nil, err
	}
	if err := storable(entry, c, dir); err != nil {
		return nil, err
	}
	changed, ok := insert(text, c)
	if !ok || !holds(changed, dir, append(before.Connections.All(), normal(c, dir))) {
		return nil, uneditable().WithHint("add these lines under connections yourself:\n%s", indent(entry, "  "))
	}
	return changed, nil
}

// storable reports what keeps c from being read back as it is from its lines.
func storable(entry string, c connection.Connection, dir string) error {
	p, err := parse(dir, []byte("version: 1\nconnections:\n"+indent(entry, "  ")))
	if err == nil && slices.EqualFunc(p.Connections.All(), []connection.Connection{normal(c, dir)}, same) {
		return nil
	}
	msg := "it has values that YAML does not keep"
	if problems, ok := errors.AsType[Problems](err); ok {
		for i := range problems { // the lines are none of the file's
			problems[i].Line, problems[i].Column = 0, 0
		}
		msg = problems.Error()
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "connection %q cannot be added: %s", c.ID, msg).
		WithHint("correct the value and add it again")
}

func remove(text []byte, dir string, id connection.ID) ([]byte, error) {
	before, err := parse(dir, text)
	if err != nil {
		return nil, err
	}
	if _, err := before.Connections.Get(id); err != nil {
		return nil, err
	}
	var rest []connection.Connection
	for _, c := range before.Connections.All() {
		if c.ID != id {
			rest = append(rest, c)
		}
	}
	changed, ok := cut(text, id)
	if !ok || !holds(changed, dir, rest) {
		return nil, uneditable().WithHint("remove connections.%s yourself", id)
	}
	return changed, nil
}

func uneditable() *sdk.Error {
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s is written in a way that cannot be edited without disturbing it", FileName)
}

// holds reports whether text says exactly that these are the connections.
func holds(text []byte, dir string, want []connection.Connection) bool {
	p, err := parse(dir, text)
	if err != nil {
		return false
	}
	return slices.EqualFunc(p.Connections.All(), want, same)
}

func same(a, b connection.Connection) bool {
	return a.ID == b.ID && a.Fingerprint() == b.Fingerprint() && a.Limits == b.Limits &&
		a.DisplayName == b.DisplayName && a.Description == b.Description
}

// normal is c as the file would give it back.
func normal(c connection.Connection, dir string) connection.Connection {
	c.Dir = dir
	if c.Path != "" && !filepath.IsAbs(c.Path) {
		c.Path = filepath.Join(dir, c.Path)
	}
	if c.Config == nil {
		c.Config = map[string]any{}
	}
	return c
}
