package question

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/dialect"
)

// Requests returns conform.Target.Request over some tables.
// Concurrency: the function is called by one goroutine at a time.
func Requests(tables []sdk.Table) conform.Request {
	var w *world
	return func(ctx context.Context, n int, d *dialect.Dialect, ask conform.Ask) (conform.Asked, error) {
		if w == nil {
			read, err := read(ctx, tables, d, ask)
			if err != nil {
				return conform.Asked{}, err
			}
			w = read
		}
		return w.compare(ctx, n, d, ask)
	}
}

// compare asks request number n and compares the rows.
func (w *world) compare(ctx context.Context, n int, d *dialect.Dialect, ask conform.Ask) (asked conform.Asked, err error) {
	text := w.draw(n)
	asked.Request = string(text)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("request %s: panic: %v", text, p)
		}
	}()
	request, err := oracle.ParseRequest(text)
	if err != nil {
		return asked, fmt.Errorf("request %s: %w", text, err)
	}
	want, err := oracle.Answer(w.model, w.data, request)
	refused, isRefused := errors.AsType[*oracle.Refusal](err)
	if err != nil && !isRefused {
		return asked, fmt.Errorf("request %s: %w", text, err)
	}
	query, err := compile.Compile(w.model, d, request, compile.Options{Now: oracle.Now})
	if err != nil {
		return asked, w.refused(&asked, refused, err)
	}
	if isRefused {
		asked.Refused = "the reference does not say: " + refused.Why
		return asked, nil
	}
	columns, rows, err := ask(ctx, query.SQL)
	if err != nil {
		return asked, err
	}
	got := make([][]any, len(rows))
	for i, row := range rows {
		for at, cell := range row {
			v, err := oracle.FromCell(cell, columns[at].Type)
			if err != nil {
				return asked, err
			}
			got[i] = append(got[i], v)
		}
	}
	if asked.Differs = oracle.Difference(want, got); asked.Differs != "" {
		asked.Wanted, asked.Got = want.Shown(), formatted(got)
		if asked.Wanted == asked.Got {
			asked.Differs += ": a value has another type"
		}
	}
	return asked, nil
}

// lacks are the codes of refusals of what a dialect has no words for.
var lacks = []refusal.Code{refusal.CodePrimaryKey, refusal.CodeUnsupported, refusal.CodeNotSupported, refusal.CodeGranularity}

// refused sorts a refusal: what the dialect lacks is no fault.
func (w *world) refused(asked *conform.Asked, want *oracle.Refusal, err error) error {
	e, ok := errors.AsType[*refusal.Error](err)
	if ok && (want != nil || slices.Contains(lacks, e.Code)) {
		asked.Refused = string(e.Code) + ": " + e.Message
		return nil
	}
	return fmt.Errorf("request %s: %w", asked.Request, err)
}

func formatted(rows [][]any) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, oracle.FormatRow(r))
	}
	return strings.Join(lines, "\n")
}
