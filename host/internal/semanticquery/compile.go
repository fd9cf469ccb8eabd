package semanticquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Compile returns the statement of a request without asking a warehouse: where several
// dialects are possible and the server was never seen, a note names the assumed dialect.
// Errors: *refusal.Error; KindInvalid and KindNotFound for the connection,
// KindUnsupported for a connector without a usable dialect; those of the layer and of ctx.
func (s *Service) Compile(ctx context.Context, r Request) (*Compiled, error) {
	j, err := s.job(ctx, r)
	if err != nil {
		return nil, err
	}
	j.asksNobody = true
	if err := j.compile(ctx, j.known.Dialect()); err != nil {
		return nil, err
	}
	if d := j.dialect; !j.known.Certain() {
		j.out.note("The server of connection " + string(j.warehouse.ID) + " was never seen: the statement is in the dialect for " + dialectWords(d) + ", and another may be needed.")
	}
	return j.out, nil
}

// job is one request under way.
type job struct {
	service   *Service
	warehouse warehouse.Warehouse
	known     warehouse.Known
	normal    []string // notes of normalising
	progress  *query.Progress
	// asksNobody: no warehouse is asked, so that what is not known stays so.
	asksNobody bool
	// dialect and out are of the last compilation.
	dialect *dialect.Dialect
	out     *Compiled

	request request.Request
	call    request.Call
}

// job reads a request and finds its connection.
func (s *Service) job(ctx context.Context, r Request) (*job, error) {
	j := &job{service: s, progress: query.NewProgress(r.Progress)}
	j.progress.Send(fractionCompiling, "Compiling query")
	var err error
	if j.request, j.call, j.normal, err = request.NormaliseCall(r.Body); err != nil {
		return nil, err
	}
	if r.Chosen != nil {
		chosen, ok := j.request.Choose(*r.Chosen)
		if !ok {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the request has no certain place for the choice %q", r.Chosen.Means).
				WithHint("write it in the request")
		}
		j.request = chosen
	}
	id, err := named(r.Connection, j.call.Connection)
	if err != nil {
		return nil, err
	}
	if j.warehouse, err = s.choose(ctx, id, offers(j.request)); err != nil {
		return nil, err
	}
	j.known, err = j.warehouse.Known(ctx)
	return j, err
}

// compile makes the statement in a dialect, against the model of this moment.
func (j *job) compile(ctx context.Context, d *dialect.Dialect) error {
	if err := binding.Writable(j.warehouse.Connection, j.known, d); err != nil {
		return err
	}
	state, err := j.service.Layer.Current(ctx, j.warehouse.ID, d)
	if err != nil {
		return err
	}
	j.progress.Send(fractionGenerating, "Generating SQL")
	limited := j.request
	if limited.Limit == 0 && !limited.Summarised() {
		limited.Limit = request.DefaultLimit + 1 // one more, to detect that there are more
	}
	state, q, unknown, err := j.described(ctx, d, state, limited)
	if err != nil {
		return j.explained(err, state, unknown)
	}
	j.dialect = d
	j.out = &Compiled{
		Connection: j.warehouse.ID, Request: j.request, Query: q,
		IncludeSQL: j.call.SQL, IncludePlan: j.call.Plan,
	}
	notes := slices.Concat(j.normal, q.Notes, unread(state))
	for _, id := range q.Sources {
		notes = append(notes, invalid(j.warehouse.ID, state, state.Model.Source(id))...)
	}
	notes = append(notes, repeated(state, q)...)
	drafts, err := j.service.drafts(ctx, j.warehouse.ID, state, q)
	if err != nil {
		return err
	}
	notes = append(notes, drafts...)
	for _, text := range append(notes, append(unseenValues(state, j.request, q), unknown)...) {
		j.out.note(text)
	}
	if j.out.IncludeSQL {
		j.out.note(j.out.LimitNote())
	}
	return nil
}

// described compiles, asks the warehouse for the columns of the queries that the request
// uses, if they are not known, and compiles again. It returns the state that it compiled
// against and a note on the columns that stay unknown.
func (j *job) described(ctx context.Context, d *dialect.Dialect, state *layer.State, r request.Request) (_ *layer.State, _ *compile.Query, unknown string, err error) {
	asked := &binding.Columns{Config: j.service.Config, Warehouse: j.warehouse, Dialect: d}
	options := compile.Options{Now: j.service.Now(), Ended: ctx.Err}
	if j.service.FiscalYear != nil {
		if options.FiscalYearStart, err = j.service.FiscalYear(ctx); err != nil {
			return state, nil, "", err
		}
	}
	for {
		var about []model.SourceID
		q, err := compile.Compile(state.Model, d, r, options)
		if refused, ok := errors.AsType[*refusal.Error](err); ok {
			about = refused.Sources
		} else if err == nil {
			about = q.Sources
		}
		if len(about) == 0 {
			return state, q, "", err
		}
		open := state.Model.Undescribed(about)
		if j.asksNobody {
			return state, q, unasked(open), err
		}
		left := asked.Left(open)
		if len(left) == 0 {
			if err == nil {
				open = nil // what cannot be read, the statement tells
			}
			return state, q, asked.Why(open), err
		}
		more, failed := asked.Learn(ctx, state, left, 1)
		if failed != nil {
			return state, nil, "", failed
		}
		if !more {
			continue
		}
		if state, failed = j.service.Layer.Current(ctx, j.warehouse.ID, d); failed != nil {
			return state, nil, "", failed
		}
	}
}

// unasked names the queries whose columns nobody asked for yet.
func unasked(all []*model.Source) string {
	if len(all) == 0 {
		return ""
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return fmt.Sprintf("The columns of %s are not known yet: a query that runs asks the warehouse for them, and so does loam sl validate.", strings.Join(names, ", "))
}

// LimitNote explains the LIMIT of a statement whose request has none; "" for a request
// with a limit.
func (c *Compiled) LimitNote() string {
	if c.Request.Limit > 0 || c.Request.Summarised() {
		return ""
	}
	return fmt.Sprintf("The statement asks for %d rows: the %d of an answer without a limit, and one that tells whether there are more.",
		request.DefaultLimit+1, request.DefaultLimit)
}

// note adds a note unless it is there already.
func (c *Compiled) note(text string) {
	if text != "" && !slices.Contains(c.Notes, text) {
		c.Notes = append(c.Notes, text)
	}
}

// maxUnread is how many files that cannot be read are named.
const maxUnread = 3

// unread names the files that cannot be read: what they would change is not known.
// That there is no snapshot is no matter to an answer: its sources are then those
// that files define in full.
func unread(state *layer.State) (notes []string) {
	for i, p := range state.Files.Problems {
		if i == maxUnread {
			return append(notes, "More files of the semantic layer cannot be read: run loam sl validate.")
		}
		notes = append(notes, "What a file says has no part in this answer: "+p.Msg)
	}
	return notes
}

// invalid names the files that have no part in a source because they are not valid.
func invalid(id connection.ID, state *layer.State, source *model.Source) (notes []string) {
	for _, p := range source.Invalid {
		if !unreadable(state, p.File) { // unread names it
			notes = append(notes, fmt.Sprintf("%s is not valid and has no part in this answer, so that %s is what its other layers say: %s", binding.NewProblem(id, p).Place(), source.Name, p.Msg))
		}
	}
	return notes
}

func unreadable(state *layer.State, file string) bool {
	return slices.ContainsFunc(state.Files.Problems, func(p model.Problem) bool { return p.File == file })
}

// explained adds to a refusal what only the layer knows: the file of what is
// broken, and where a name is unknown what the layer lacks, for it may be there.
func (j *job) explained(err error, state *layer.State, unknown string) error {
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		return err
	}
	more := *refused
	fault, broken := errors.AsType[*model.Fault](err)
	switch {
	case broken && fault.File != "":
		place := binding.Problem{File: binding.File(j.warehouse.ID, fault.File), Line: int(fault.Line), Column: int(fault.Column)}
		more.Message += " (" + place.Place() + ")"
	case refused.Code == refusal.CodeUnknownMember && len(state.Notes) > 0:
		more.Message += ". " + strings.Join(state.Notes, " ")
	}
	if unknown != "" {
		more.Message = strings.TrimSuffix(more.Message, ".") + ". " + unknown
	}
	return &more
}

// dialectWords names a dialect and the servers that it is for.
func dialectWords(d *dialect.Dialect) string {
	words := cmp.Or(d.Product, d.Name)
	if d.MinVersion != "" {
		words += " since " + d.MinVersion
	}
	if d.MaxVersion != "" {
		words += " before " + d.MaxVersion
	}
	return words
}

// homes returns the sources whose rows a query aggregates.
func homes(m *model.Model, q *compile.Query) (all []model.SourceID) {
	for _, branch := range q.Plan.Branches {
		if s, err := m.FindSource(branch.Home); err == nil && !slices.Contains(all, s.ID) {
			all = append(all, s.ID)
		}
	}
	return all
}
