package sqlkit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// suggestTime bounds the look for what may have been meant: an error should not
// take long.
const suggestTime = time.Second

// Suggest adds likely corrections, best first, to the error about a missing
// name. names lists existing names of the same kind, preferred ones first: the
// tables, say, or the columns of the tables that the statement mentions
// (Statement.Names). It may take a second, and its errors are ignored.
// Shape: an error that is no *sdk.Error, nil, and one without a missing name
// stay as they are. Missing and names may be qualified ("o.created",
// "sales.orders"): their last parts are compared.
func Suggest(ctx context.Context, err error, missing string, names func(context.Context) ([]string, error)) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || missing == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, suggestTime)
	defer cancel()
	all, lookErr := names(ctx)
	if lookErr != nil {
		return err
	}
	if e.Candidates = nearest(missing, all, lastPart); len(e.Candidates) > 0 {
		e.Hint = "did you mean " + strings.Join(e.Candidates, " or ") + "?"
	}
	return err
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// Names returns the names that the statement mentions, each once, as the engine
// reads them: the tables whose columns Suggest looks at are among them.
func (s *Statement) Names(d *dialect.Dialect) []string {
	var names []string
	for i := range s.Tokens {
		if name, ok := s.name(d, i); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// NameAt returns the last part of the name that starts at a position; "" when
// there is none.
func (s *Statement) NameAt(d *dialect.Dialect, pos sdk.Position) string {
	for i := range s.Tokens {
		name, ok := s.name(d, i)
		if !ok || sdk.PositionAtByte(s.SQL, s.Start(i)) != pos {
			continue
		}
		for i+2 < len(s.Tokens) && s.Tokens[i+1].Is(s.SQL, ".") {
			part, ok := s.name(d, i+2)
			if !ok {
				break
			}
			name, i = part, i+2
		}
		return name
	}
	return ""
}

// Find returns the position of a name that an engine's error mentions without
// one: the zero position unless the name's last part occurs exactly once.
func (s *Statement) Find(d *dialect.Dialect, name string) sdk.Position {
	at := -1
	for i := range s.Tokens {
		found, ok := s.name(d, i)
		if !ok || !strings.EqualFold(found, lastPart(name)) {
			continue
		}
		if at >= 0 {
			return sdk.Position{}
		}
		at = i
	}
	if at < 0 {
		return sdk.Position{}
	}
	for at >= 2 && s.Tokens[at-1].Is(s.SQL, ".") {
		if _, ok := s.name(d, at-2); !ok {
			break
		}
		at -= 2
	}
	return sdk.PositionAtByte(s.SQL, s.Start(at))
}

// name returns the name that token i is, as the engine reads it.
func (s *Statement) name(d *dialect.Dialect, i int) (name string, ok bool) {
	t := s.Tokens[i]
	if t.Kind != dialect.TokenWord && t.Kind != dialect.TokenQuoted {
		return "", false
	}
	name = d.Unquote(s.SQL, t)
	switch {
	case t.Kind == dialect.TokenQuoted:
	case d.Folding == dialect.FoldLower:
		name = strings.ToLower(name)
	case d.Folding == dialect.FoldUpper:
		name = strings.ToUpper(name)
	}
	return name, true
}
