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

// EntitiesRequest asks for the details of tables, for the tables of a schema, or for the join
// paths between two tables. The three can be combined.
type EntitiesRequest struct {
	Connection connection.ID
	Entities   []EntityQuery
	// Schema is a schema, or a pattern of table names ("*order*.*"), whose tables are listed,
	// one line each; "" = none.
	Schema string
	// Between are two tables whose join paths are listed. A list of any other length is ignored.
	Between []EntityQuery
	// Sample is the number of rows shown of each table, from its profile; 0 = none, at most
	// MaxSample.
	Sample int
	// Offset is the number of columns of each table, and of entries of Schema, to skip.
	Offset int
	// MaxChars is the approximate size of the answer's entities as JSON, in characters. Columns
	// beyond it are left out and counted; 0 = 40,000, negative = all columns, and no text is cut.
	MaxChars int
}

// EntityQuery names a table and, if not all are wanted, its columns.
type EntityQuery struct {
	// Display is the table's name as one string, such as "shop.orders"; Ref is used where it is "".
	Display string
	Ref     sdk.TableRef
	Columns []string // names, or patterns with * and ?; none = all
}

func (q EntityQuery) name() string {
	if q.Display == "" {
		return catalog.Display(q.Ref)
	}
	return q.Display
}

// EntitiesAnswer answers an EntitiesRequest.
// Shape: each EntityQuery has an entity or an error, in the order of the request; a query
// with an unknown column has both.
type EntitiesAnswer struct {
	ConnectionID connection.ID `json:"connectionId"`
	// Snapshot is set when the answer has entities, tables or paths.
	Snapshot Snapshot `json:"snapshot,omitzero"`
	Entities []Entity `json:"entities,omitempty"`
	// Tables are a page of the tables that Schema names, TotalTables is their number with
	// copies. Schemas has one line per schema ("shop: 12 tables") if there are several.
	Schemas     []string      `json:"schemas,omitempty"`
	Tables      []Listed      `json:"tables,omitempty"`
	TotalTables int           `json:"totalTables,omitempty"`
	Paths       []Path        `json:"paths,omitempty"`
	Errors      []EntityError `json:"errors,omitempty"`
	// Notes say what was left out, and which request returns it.
	Notes []string `json:"notes,omitempty"`
}

// Entity is a table as the last scan found it.
type Entity struct {
	Display string `json:"display"`
	Kind    string `json:"kind"`
	// Rows is the engine's estimate, else the count of a profile of all rows; nil = not known.
	Rows *int64 `json:"rows,omitempty"`
	// Facts describe the table as a whole, in words: size, grain, partitions, copies, profile.
	Facts       []string `json:"facts,omitempty"`
	Description string   `json:"description,omitempty"`
	Comment     string   `json:"comment,omitempty"`
	Columns     []Column `json:"columns,omitempty"`
	// Offset is the position of the first of Columns. TotalColumns is the number of the
	// table's columns; 0 = Columns has all of them.
	Offset       int `json:"offset,omitempty"`
	TotalColumns int `json:"totalColumns,omitempty"`
	// Sample are rows of the last profile: a line with the names of Columns, then one line per row.
	Sample []string `json:"sample,omitempty"`
	Joins  []Join   `json:"joins,omitempty"`
	// Definition is the SQL text of a view.
	Definition string `json:"definition,omitempty"`
	rows       int    // of the sample
}

// Snapshot identifies the snapshot that was read.
type Snapshot struct {
	SyncID      string `json:"syncId"`
	ExtractedAt string `json:"extractedAt"` // RFC 3339
}

// EntityError is the error of an EntityQuery whose table or column was not found.
// Shape: Code is "not_found" or "ambiguous"; Candidates are names to use instead, best first.
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

// Entities describes tables of a connection from its latest snapshot.
// Errors: KindNotFound for an unknown connection and for one that was never scanned,
// KindUnavailable with catalog.ErrDamaged, KindInvalid for an unreadable relationships file,
// KindDenied. A table that does not exist is an EntityError of the answer, not an error.
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
	l := entityReader{
		service: s, connection: c.ID, snapshot: snapshot, dialect: s.dialect(ctx, c), keys: keys, offset: max(0, r.Offset), paged: r.MaxChars >= 0,
		rows: min(max(0, r.Sample), MaxSample), rowless: c.Scan.WithholdRows,
		answer: &EntitiesAnswer{ConnectionID: c.ID, Snapshot: Snapshot{SyncID: snapshot.SyncID, ExtractedAt: moment(snapshot.ExtractedAt)}},
	}
	if l.graph, err = keys.Graph(ctx); err != nil {
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

// dialect returns the dialect of a connection's engine, which knows how names are compared;
// nil when its connector is not installed: then only exact names are found.
func (s *Service) dialect(ctx context.Context, w warehouse.Warehouse) *dialect.Dialect {
	known, err := w.Known(ctx)
	if err != nil {
		s.Logger.DebugContext(ctx, "names are compared exactly, for want of the connector", "connection", w.ID, "error", err)
	}
	return known.Dialect()
}

// entityReader answers one call of Entities.
type entityReader struct {
	service    *Service
	connection connection.ID
	snapshot   *catalog.Snapshot
	dialect    *dialect.Dialect
	keys       *foreignkey.Keys
	graph      *foreignkey.Graph
	listing    *listing.Listing // the semantic layer's definitions; nil = none
	offset     int
	rows       int  // sample rows per table
	rowless    bool // the project stores no sample rows
	paged      bool // at most a page of columns is shown
	answer     *EntitiesAnswer
}

// describe reads the semantic layer's definitions. If they cannot be read, tables are
// described without them. The caller calls release when the answer is complete.
func (l *entityReader) describe(ctx context.Context) (release func()) {
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

// source returns the semantic layer's source of a table; nil = none.
func (l *entityReader) source(ref sdk.TableRef) *listing.Source {
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

// find returns the position of the table that a query names. When ok is false, the answer
// has an EntityError.
// Errors: those of reading the snapshot.
func (l *entityReader) find(q EntityQuery) (position int, ok bool, err error) {
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

// checked adds the error of a query without a table to the answer.
func (l *entityReader) checked(q EntityQuery, position int, err error) (int, bool, error) {
	if err != nil {
		return 0, false, l.failed(q.name(), err)
	}
	return position, true, nil
}

// add answers one query. Errors: those of reading the snapshot.
func (l *entityReader) add(q EntityQuery) error {
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

// rowsOf returns the number of a table's rows: the engine's estimate, else the count of a
// profile of all rows; nil = not known.
func rowsOf(estimate int64, p *catalog.Profile) *int64 {
	if estimate < 0 && p != nil && len(p.Stats) > 0 && p.Stats[0].Complete {
		estimate = p.Stats[0].Rows
	}
	return count(estimate, estimate >= 0)
}

// failed adds an EntityError for a table that was not found, and returns any other error.
func (l *entityReader) failed(input string, err error) error {
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

// brief cuts an input to the length that answers repeat.
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
