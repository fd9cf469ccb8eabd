package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// oneProbe bounds one statement.
const oneProbe = 10 * time.Second

// period is what a probe asks for.
type period struct {
	of   []request.DateRange
	name string // "2026-10", "" = all rows
}

// over says in words which rows a probe read; counted = its last value is their number.
func (p period) over(found []json.RawMessage, counted bool) string {
	rows, all := "the rows", "all rows"
	if n := number(found[len(found)-1]); counted && n != nil && n.IsInt() {
		rows = text.Count(n.Num().Int64(), "row")
		all = rows + " in all"
	}
	if p.name == "" {
		return all
	}
	return rows + " of " + p.name
}

// ranges are the last closed month, and everything.
func (t *trial) ranges(now time.Time) []period {
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, -1, 0)
	return []period{{
		of:   []request.DateRange{{From: last.Format(time.DateOnly), To: first.AddDate(0, 0, -1).Format(time.DateOnly)}},
		name: last.Format("2006-01"),
	}, {}}
}

// probe runs a statement and keeps its value. nil = the warehouse did not answer.
// Errors: those of the store and of ctx.
func (t *trial) probe(ctx context.Context, p *change.Proposal, q *compile.Query, period string) ([]json.RawMessage, error) {
	if t.away != "" {
		p.Verified.Reason = t.away
		return nil, nil
	}
	began := t.job.service.Now()
	values, err := t.ask(ctx, p, q)
	if ctx.Err() != nil {
		t.away, err = fmt.Sprintf("there was no time left of %v", probeTime), nil
		p.Verified.Reason = t.away
	}
	if p.Verified.Level == levelPlans { // it would read too much
		return nil, nil
	}
	found := []json.RawMessage{json.RawMessage("null")}
	if len(values) > 0 {
		found = values[0]
	}
	if t.job.state != nil {
		kept := store.Probe{Connection: t.job.connection, Member: p.Target, Definition: hashOf(definition(p)), At: began, Period: period, Took: t.job.service.Now().Sub(began)}
		if err != nil {
			kept.Error = failureText(err)
		} else if !t.secret(p) {
			kept.Value = string(found[0])
		}
		if n := number(found[len(found)-1]); len(found) > 1 && n != nil {
			kept.Rows = n.Num().Int64()
		}
		if err := t.job.state.PutProbe(context.WithoutCancel(ctx), kept); err != nil {
			return nil, err
		}
	}
	switch {
	case err != nil:
		p.Verified.Reason = failureText(err)
		if unreachable(err) {
			t.away = p.Verified.Reason
		}
		return nil, nil
	case t.away != "":
		return nil, nil
	}
	return found, nil
}

// Tried is a test run of a measure.
type Tried struct {
	store.Probe
	// Superseded: the latest run was of another definition.
	Superseded bool
}

// Probes returns the test runs of a measure under any of its names, the latest first; at most limit.
// Errors: those of the store.
func (s *Service) Probes(ctx context.Context, id connection.ID, names []string, limit int) ([]Tried, error) {
	if !s.began() {
		return nil, nil
	}
	state, err := s.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := state.Probes(ctx, string(id), names, limit)
	if err != nil {
		return nil, err
	}
	all := make([]Tried, len(rows))
	for i, p := range rows {
		all[i] = Tried{p, !bytes.Equal(p.Definition, rows[0].Definition)}
	}
	return all, nil
}

// definition is what a proposal writes, without the name of a new file.
func definition(p *change.Proposal) string {
	var all []string
	for _, b := range p.Blocks {
		if b.Place != "name" {
			all = append(all, b.After)
		}
	}
	return strings.Join(all, "\n")
}

// ask runs a statement unless it would read too much.
func (t *trial) ask(ctx context.Context, p *change.Proposal, q *compile.Query) ([][]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, oneProbe)
	defer cancel()
	s := t.job.service
	id := connection.ID(t.job.connection)
	found, err := s.Query.Validate(ctx, id, q.SQL)
	if err != nil {
		return nil, err
	}
	if found.Estimate != "" && found.EstimatedBytes > t.maxBytes {
		p.Verified.Level = levelPlans
		p.Verified.Reason = fmt.Sprintf("it would read %d bytes; memory.probe.max_bytes is %d", found.EstimatedBytes, t.maxBytes)
		return nil, nil
	}
	sink := &cells{}
	if _, err := s.Query.Run(ctx, query.Request{Connection: id, SQL: q.SQL, Dialect: t.view.dialect}, sink); err != nil {
		return nil, err
	}
	return sink.rows, nil
}

// cells keeps the rows of a result.
type cells struct{ rows [][]json.RawMessage }

func (c *cells) Columns([]sdk.Column) error { return nil }

func (c *cells) Row(row [][]byte) error {
	own := make([]json.RawMessage, len(row))
	for i, cell := range row {
		own[i] = bytes.Clone(cell)
	}
	c.rows = append(c.rows, own)
	return nil
}

// unreachable reports whether an error is of the warehouse and not of the statement.
func unreachable(err error) bool {
	switch sdk.KindOf(err) {
	case sdk.KindUnavailable, sdk.KindUnauthenticated, sdk.KindTimeout, sdk.KindNotFound, sdk.KindDenied:
		return true
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// secret reports whether a definition names a column whose values are not kept.
func (t *trial) secret(p *change.Proposal) bool {
	of, err := t.model.FindSource(homeOf(p.Target))
	if err != nil {
		return true // of a metric over several sources it is not known
	}
	profile := t.view.profile(of)
	if profile == nil {
		return false
	}
	for _, w := range profile.Withheld {
		if strings.Contains(strings.ToLower(definition(p)), strings.ToLower(w.Column)) {
			return true
		}
	}
	return false
}
