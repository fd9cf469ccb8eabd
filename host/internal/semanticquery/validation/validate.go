// Package validation validates semantic layers: their files, their definitions, and
// their declarations against the data.
package validation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fractionRead is the part of the work that needs no warehouse.
const fractionRead = 0.1

// Run says what is wrong with semantic layers: with the files, with what they
// define, and with Data whether the data is as they declare it. One connection, file
// or check that fails does not stop the others: it is in the report.
// Errors: KindNotFound for an unknown connection or source, with near names; the
// context's when it ends.
// Concurrency: a cancelled context ends what runs in the warehouse.
func Run(ctx context.Context, config binding.Config, r Request) (*Report, error) {
	all, err := validated(ctx, config, r.Connection)
	if err != nil {
		return nil, err
	}
	progress := query.NewProgress(r.Progress)
	defer progress.Stop()
	looks := make([]*validation, len(all))
	for i, c := range all {
		looks[i] = &validation{config: config, warehouse: config.Warehouses.Of(c), request: r, added: map[string]bool{}, report: ConnectionReport{
			Connection: c.ID, Problems: []binding.Problem{}, Checks: []Check{}, Notes: []string{},
		}}
		progress.Send(fractionRead*float64(i)/float64(len(all)), "Reading the semantic layer of "+string(c.ID))
		if err := looks[i].look(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			looks[i].fail(err)
		}
	}
	if err := sourcesFound(r.Sources, looks); err != nil {
		return nil, err
	}
	if r.Data {
		if err := checkAll(ctx, looks, progress); err != nil {
			return nil, err
		}
	}
	out := reported(looks)
	if r.Connection == "" && !caller.Of(ctx).Narrows() { // to others, a connection that they may not see is no stranger
		if err := strangers(ctx, config, all, out); err != nil {
			return nil, err
		}
	}
	progress.Send(1, "Looked at the semantic layers of "+plural(len(all), "connection"))
	return out, nil
}

// strangers adds what belongs to none of all connections.
func strangers(ctx context.Context, config binding.Config, all []connection.Connection, out *Report) error {
	ids := make([]connection.ID, len(all))
	for i, c := range all {
		ids[i] = c.ID
	}
	found, err := config.Layer.Strangers(ctx, ids)
	out.Strangers = append(out.Strangers, found...)
	out.Warnings += len(found)
	return err
}

// validated returns the connections that are looked at, by id.
func validated(ctx context.Context, config binding.Config, id connection.ID) ([]connection.Connection, error) {
	registry, err := config.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if id != "" {
		c, err := registry.Get(id)
		return []connection.Connection{c}, err
	}
	all := slices.Clone(registry.All())
	slices.SortFunc(all, func(a, b connection.Connection) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, nil
}

// sourcesFound refuses a name that no connection has.
func sourcesFound(names []string, looks []*validation) error {
	for _, name := range names {
		var why error
		found := false
		for _, v := range looks {
			switch {
			case v.state == nil: // which the report tells
			case len(v.named(name)) > 0:
				found = true
			default:
				_, why = binding.Find(v.state, name)
			}
		}
		if !found && why != nil {
			return why
		}
	}
	return nil
}

// reported puts the report together.
func reported(looks []*validation) *Report {
	out := &Report{Connections: []ConnectionReport{}, Strangers: []string{}}
	count := func(s binding.Severity) {
		switch s {
		case binding.SeverityError:
			out.Errors++
		case binding.SeverityWarning:
			out.Warnings++
		}
	}
	for _, v := range looks {
		if v.report.Error != "" {
			out.Errors++
		}
		for _, p := range v.report.Problems {
			count(p.Severity)
		}
		for _, c := range v.report.Checks {
			count(c.Severity)
		}
		out.Connections = append(out.Connections, v.report)
	}
	return out
}

// validation is a look at one connection's semantic layer.
type validation struct {
	config    binding.Config
	warehouse warehouse.Warehouse
	request   Request
	known     warehouse.Known
	dialect   *dialect.Dialect // nil = not known
	state     *layer.State     // nil = it could not be read
	sources   []*model.Source  // that are looked at
	report    ConnectionReport
	// added are the problems that are in the report, by what they say.
	added map[string]bool
}

func (v *validation) fail(err error) {
	e := sdk.AsError(err, sdk.SourceHost)
	v.report.Error = strings.TrimSuffix(e.Msg, ".") + "."
	if e.Hint != "" {
		v.report.Error += " " + strings.ToUpper(e.Hint[:1]) + strings.TrimSuffix(e.Hint[1:], ".") + "."
	}
}

// look does what needs no warehouse, but for the columns of queries that were not asked
// for yet.
func (v *validation) look(ctx context.Context) error {
	// Files can be looked at without a connector that says how SQL is written.
	var unknown error
	if v.known, unknown = v.warehouse.Known(ctx); unknown == nil {
		v.dialect = v.known.Dialect()
		if err := v.settle(ctx); err != nil {
			return err
		}
	}
	state, err := v.config.Layer.Current(ctx, v.warehouse.ID, v.dialect)
	if err != nil {
		return err
	}
	v.state = state
	if v.sources = v.selected(); unknown == nil && binding.Writable(v.warehouse.Connection, v.known, v.dialect) == nil {
		if err := v.describe(ctx); err != nil {
			return err
		}
		state = v.state
	}
	v.report.Notes = append(v.report.Notes, state.Notes...)
	v.count()
	for _, list := range [][]model.Problem{state.Files.Problems, state.Model.Problems(), state.Model.Validate()} {
		for _, p := range list {
			if v.about(p) {
				v.add(binding.NewProblem(v.warehouse.ID, p))
			}
		}
	}
	for _, p := range state.Model.Warnings() {
		if v.about(p) {
			warning := binding.NewProblem(v.warehouse.ID, p)
			warning.Severity = binding.SeverityWarning
			v.add(warning)
		}
	}
	v.tables()
	v.repeated()
	if unknown == nil {
		unknown = binding.Writable(v.warehouse.Connection, v.known, v.dialect)
	}
	if unknown != nil {
		v.dialect = nil
		v.report.Notes = append(v.report.Notes, "What definitions compute was not looked at: "+sdk.AsError(unknown, sdk.SourceHost).Msg+".")
		if v.request.Data {
			v.fail(unknown)
		}
		return ctx.Err()
	}
	v.compileAll(ctx)
	return ctx.Err()
}

// settle asks the server for its dialect where several are possible and statements
// will be run.
func (v *validation) settle(ctx context.Context) error {
	if !v.request.Data || len(v.known.Description.Dialects) < 2 {
		return nil
	}
	session, release, err := v.warehouse.Lease(ctx)
	if err != nil {
		// The checks say it; the files can be looked at without.
		return ctx.Err()
	}
	v.dialect = v.known.Of(session.Server())
	release()
	return nil
}

// selected returns the sources that the request is about, metrics among them.
func (v *validation) selected() (all []*model.Source) {
	if len(v.request.Sources) == 0 {
		all = append(all, v.state.Model.Source(model.Metrics))
		for s := range v.state.Model.Sources() {
			all = append(all, s)
		}
		return all
	}
	for _, name := range v.request.Sources {
		for _, s := range v.named(name) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// named returns the sources that a name means, broken ones too.
func (v *validation) named(name string) (all []*model.Source) {
	if s, err := v.state.Model.FindSource(name); err == nil {
		return []*model.Source{s}
	}
	for s := range v.state.Model.Outlines() {
		if strings.EqualFold(s.Name, name) || strings.EqualFold(s.Identity, name) {
			all = append(all, v.state.Model.Source(s.ID))
		}
	}
	if len(all) == 0 && strings.EqualFold(name, binding.MetricsName) {
		all = append(all, v.state.Model.Source(model.Metrics))
	}
	return all
}

func (v *validation) count() {
	v.report.Files = len(v.state.Files.List) + len(v.state.Files.Problems)
	for _, s := range v.sources {
		if s.ID != model.Metrics {
			v.report.Sources++
			if s.File != "" {
				v.report.Defined++
			}
		}
		for i := range s.Dimensions {
			if d := &s.Dimensions[i]; d.Visibility != model.Hidden && d.Broken == "" {
				v.report.Dimensions++
			}
		}
		for i := range s.Measures {
			if m := &s.Measures[i]; m.Name != "" && m.Visibility != model.Hidden && m.Broken == "" {
				v.report.Measures++
			}
		}
	}
}

// about reports whether a problem concerns the sources of the request. What no
// source is named for concerns all.
func (v *validation) about(p model.Problem) bool {
	return len(v.request.Sources) == 0 || slices.ContainsFunc(v.sources, func(s *model.Source) bool { return binding.Concerns(p, s) })
}

// add adds a problem that is not told yet.
func (v *validation) add(p binding.Problem) {
	key := fmt.Sprintf("%s:%d:%d:%s:%s:%s", p.File, p.Line, p.Column, p.Source, p.Member, p.Message)
	if !v.added[key] {
		v.added[key] = true
		v.report.Problems = append(v.report.Problems, p)
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
