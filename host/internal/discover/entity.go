package discover

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// EntitiesRequest asks for tables in detail, for the tables of a schema, or for the ways
// between two tables.
type EntitiesRequest struct {
	Connection connection.ID
	Entities   []EntityQuery
	// Schema lists the tables of a schema, or those whose names a pattern matches, one
	// line each; "" = none. See Service.browse.
	Schema string
	// Between are two tables: by which joins does one lead to the other? None, or two.
	Between []EntityQuery
	// Sample is how many rows of each table are shown, as its profile has them; 0 = none.
	Sample int
	// Offset is how many columns of each table, or tables of Schema, are passed over.
	Offset int
	// MaxChars bounds the answer as JSON, about, in characters: columns beyond it
	// are left out and counted; 0 = 40,000, negative = no limit.
	MaxChars int
}

// EntityQuery names a table and, if not all are wanted, its columns.
type EntityQuery struct {
	// Display is the table as one string; Ref is used where it is "".
	Display string
	Ref     sdk.TableRef
	Columns []string // names or patterns
}

func (q EntityQuery) name() string {
	if q.Display == "" {
		return catalog.Display(q.Ref)
	}
	return q.Display
}

// EntitiesAnswer has an entity or an error for each query, in their order. An
// entity of which a column was not found has both.
type EntitiesAnswer struct {
	ConnectionID connection.ID `json:"connectionId"`
	// Snapshot is set where anything of it is shown.
	Snapshot Snapshot `json:"snapshot,omitzero"`
	Entities []Entity `json:"entities,omitempty"`
	// Tables are those of Schema, of which there are TotalTables, and Schemas how many
	// tables each of several schemas has.
	Schemas     []string      `json:"schemas,omitempty"`
	Tables      []Listed      `json:"tables,omitempty"`
	TotalTables int           `json:"totalTables,omitempty"`
	Paths       []Path        `json:"paths,omitempty"`
	Errors      []EntityError `json:"errors,omitempty"`
	// Notes say what was left out, and how to get it.
	Notes []string `json:"notes,omitempty"`
}

// Entity is a table as its snapshot has it.
type Entity struct {
	Display string `json:"display"`
	Kind    string `json:"kind"`
	// Rows is the engine's estimate, else what the profile counted; nil = not known.
	Rows *int64 `json:"rows,omitempty"`
	// Facts are what else is known of the table as a whole, in words: size, grain,
	// partitions, copies.
	Facts       []string `json:"facts,omitempty"`
	Description string   `json:"description,omitempty"`
	Comment     string   `json:"comment,omitempty"`
	Columns     []Column `json:"columns,omitempty"`
	// Columns are those from Offset on of TotalColumns, which is set when not all are there.
	Offset       int `json:"offset,omitempty"`
	TotalColumns int `json:"totalColumns,omitempty"`
	// Sample are rows as they were at the last profile: a line of the names, then one per row.
	Sample []string `json:"sample,omitempty"`
	Joins  []Join   `json:"joins,omitempty"`
	// Definition is the text of a view.
	Definition string `json:"definition,omitempty"`
	rows       int    // of the sample
}

// Snapshot says which snapshot an answer is from.
type Snapshot struct {
	SyncID      string `json:"syncId"`
	ExtractedAt string `json:"extractedAt"` // RFC 3339
}

// EntityError says why an EntityQuery has no entity, or lacks a column.
type EntityError struct {
	Input      string   `json:"input"`
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Candidates []string `json:"candidates,omitempty"`
}

// The codes of an EntityError.
const (
	codeNotFound  = "not_found"
	codeAmbiguous = "ambiguous"
)

// Entities answers from the latest snapshot.
// Errors: KindNotFound (no such connection, or never scanned), KindUnavailable
// with catalog.ErrDamaged, KindInvalid for a file of decisions that cannot be
// understood, KindDenied. What is wrong with one entity is in the answer.
func (s *Service) Entities(ctx context.Context, r EntitiesRequest) (*EntitiesAnswer, error) {
	c, err := s.Warehouses.Get(ctx, r.Connection)
	if err != nil {
		return nil, err
	}
	snapshot, err := s.Catalogs.Of(string(c.ID)).Latest()
	if err != nil {
		return nil, err
	}
	keys, err := s.Keys.Of(c.ID, snapshot)
	if err != nil {
		return nil, err
	}
	l := look{
		service: s, connection: c.ID, snapshot: snapshot, dialect: s.dialect(ctx, c), keys: keys, offset: max(0, r.Offset), paged: r.MaxChars >= 0,
		rows: min(max(0, r.Sample), MaxSample), rowless: c.Scan.WithholdRows,
		answer: &EntitiesAnswer{ConnectionID: c.ID, Snapshot: Snapshot{SyncID: snapshot.SyncID, ExtractedAt: moment(snapshot.ExtractedAt)}},
	}
	if l.graph, err = s.graphs.of(ctx, c.ID, keys); err != nil {
		return nil, err
	}
	release := l.describe(ctx)
	defer release()
	for _, q := range r.Entities {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := l.add(q); err != nil {
			return nil, err
		}
	}
	if r.Schema != "" {
		if err := l.browse(ctx, r.Schema); err != nil {
			return nil, err
		}
	}
	if len(r.Between) == 2 {
		if err := l.between(r.Between[0], r.Between[1]); err != nil {
			return nil, err
		}
	}
	l.answer.fit(r.MaxChars)
	if l.answer.Entities == nil && l.answer.Tables == nil && l.answer.Paths == nil {
		l.answer.Snapshot = Snapshot{}
	}
	return l.answer, nil
}

// dialect returns how the connection's engine compares names; nil when its
// connector is not there, so that only exact names are found.
func (s *Service) dialect(ctx context.Context, w warehouse.Warehouse) *dialect.Dialect {
	known, err := w.Known(ctx)
	if err != nil {
		s.Logger.DebugContext(ctx, "names are compared exactly, for want of the connector", "connection", w.ID, "error", err)
	}
	return known.Dialect()
}

// look is one call of Entities under way.
type look struct {
	service    *Service
	connection connection.ID
	snapshot   *catalog.Snapshot
	dialect    *dialect.Dialect
	keys       *foreignkey.Keys
	graph      *graph
	listing    *listing.Listing // what the semantic layer says of tables; nil = nothing
	offset     int
	rows       int  // of each table that are shown
	rowless    bool // the project keeps none
	paged      bool // no more than a page of columns is wanted
	answer     *EntitiesAnswer
}

// describe takes what the semantic layer says of tables. Without it tables are described
// by what a scan found. The function that it returns ends its use.
func (l *look) describe(ctx context.Context) (release func()) {
	state, err := l.service.open(ctx)
	if err != nil {
		l.service.Logger.DebugContext(ctx, "tables are described without the semantic layer", "connection", l.connection, "error", err)
		return func() {}
	}
	if layer, ok := state.Semantic[l.connection]; ok {
		l.listing = layer.Listing
	}
	return state.Release
}

// source returns what the semantic layer says of a table; nil = nothing.
func (l *look) source(ref sdk.TableRef) *listing.Source {
	if l.listing == nil {
		return nil
	}
	for _, id := range []string{catalog.Display(ref), catalog.Display(sdk.TableRef{Schema: ref.Schema, Name: ref.Name}), ref.Name} {
		entry := l.listing.Entry(id)
		if entry == nil {
			continue
		}
		s := entry.Source()
		if s.Table == "" {
			return s
		}
		if at, err := l.snapshot.Find(l.dialect, s.Table); err == nil && l.snapshot.Entry(at).TableRef == ref {
			return s
		}
	}
	return nil
}

// find returns the position of the table that a query names; false when it is not one, of
// which the answer says why.
// Errors: those of reading the snapshot.
func (l *look) find(q EntityQuery) (position int, ok bool, err error) {
	if q.Display == "" {
		if position, err = l.snapshot.Lookup(l.dialect, q.Ref); sdk.KindOf(err) != sdk.KindNotFound {
			return l.checked(q, position, err)
		}
	}
	position, note, err := Find(l.snapshot, l.dialect, q.name())
	if note != "" {
		l.answer.Notes = append(l.answer.Notes, note)
	}
	return l.checked(q, position, err)
}

// checked keeps why there is no table for a query.
func (l *look) checked(q EntityQuery, position int, err error) (int, bool, error) {
	if err != nil {
		return 0, false, l.failed(q.name(), err)
	}
	return position, true, nil
}

// add answers one query. Errors: those of reading the snapshot.
func (l *look) add(q EntityQuery) error {
	position, ok, err := l.find(q)
	if err != nil || !ok {
		return err
	}
	t, err := l.snapshot.At(position)
	if err != nil {
		return err
	}
	profile, err := l.snapshot.Profile(position)
	if err != nil {
		return err
	}
	e := Entity{Display: catalog.Display(t.TableRef), Kind: kindOf(t.Kind), Comment: flat(t.Comment), Definition: strings.TrimSpace(t.Definition)}
	e.Rows = rowsOf(t.RowEstimate, profile)
	if e.Joins, err = l.joins(&t.Table); err != nil {
		return err
	}
	links := map[string]bool{}
	for _, j := range e.Joins {
		for _, c := range j.Columns {
			links[c] = links[c] || !j.incoming && !j.undecided
		}
	}
	source := l.source(t.TableRef)
	if source != nil {
		e.Description = flat(source.Description)
	}
	e.Columns = columns(&t.Table, links, profile, source)
	if e.Facts, err = l.facts(position, t, profile); err != nil {
		return err
	}
	if l.rows > 0 {
		l.sample(&e, profile)
	}
	if len(q.Columns) > 0 {
		l.narrow(&e, q.Columns)
	}
	if l.paged {
		l.page(&e)
	}
	l.answer.Entities = append(l.answer.Entities, e)
	return nil
}

// rowsOf returns the rows of a table: the engine's estimate, else what a profile of
// all rows counted.
func rowsOf(estimate int64, p *catalog.Profile) *int64 {
	if estimate < 0 && p != nil && len(p.Stats) > 0 && p.Stats[0].Complete {
		estimate = p.Stats[0].Rows
	}
	return count(estimate, estimate >= 0)
}

// failed keeps why a table was not found; any other error ends the call.
func (l *look) failed(input string, err error) error {
	e := sdk.AsError(err, sdk.SourceHost)
	code := codeNotFound
	switch {
	case e.Code == catalog.CodeAmbiguous:
		code = codeAmbiguous
	case e.Kind != sdk.KindNotFound:
		return err
	}
	l.answer.Errors = append(l.answer.Errors, EntityError{
		Input: brief(input), Code: code, Message: e.Msg + "; " + e.Hint, Candidates: e.Candidates,
	})
	return nil
}

// brief is what an answer repeats of its question.
func brief(input string) string {
	if head := cut(input, maxText); head != input {
		return head + "…"
	}
	return input
}

var kinds = map[sdk.TableKind]string{
	sdk.TableView: "view", sdk.TableMaterialized: "view", sdk.TableExternal: "external",
}

func kindOf(kind sdk.TableKind) string {
	if name, ok := kinds[kind]; ok {
		return name
	}
	return "table"
}
