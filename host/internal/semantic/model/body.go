package model

import (
	"errors"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// body returns a source's query without the semicolons at its end and what follows them.
func body(sql string, d *dialect.Dialect) string {
	if d != nil {
		tokens, err := d.Tokens(sql, nil)
		for err == nil && len(tokens) > 0 && tokens[len(tokens)-1].Is(sql, ";") {
			sql, tokens = sql[:tokens[len(tokens)-1].Start], tokens[:len(tokens)-1]
		}
	}
	return strings.TrimRight(strings.TrimSpace(sql), "; \t\r\n")
}

// checkBody checks a source's query by itself, as the guard checks the statement around
// it: it only reads. Its brackets match, so that it cannot end the subquery that it is in.
func (r *draft) checkBody(file string) {
	t := r.def.SQL
	if t.Value == "" || r.dialect == nil {
		return
	}
	query := body(t.Value, r.dialect)
	e, ok := errors.AsType[*sdk.Error](readonly.Check(query, r.dialect))
	tokens, err := r.dialect.Tokens(query, nil)
	if err == nil && len(tokens) > 0 && tokens[0].Is(query, ";") { // a statement may begin so, and a subquery may not
		e, ok = &sdk.Error{Kind: sdk.KindInvalid, Msg: "a statement cannot start with ;"}, true
	}
	if !ok || e.Kind == sdk.KindInternal { // a dialect that knows no text yet
		return
	}
	t.Pos = t.At(e.Pos)
	r.fail(r.problem(file, "sql", t, nil, "the query cannot be a source: %s", e.Msg))
}
