package discover

import (
	"context"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// EntitiesRequest asks for tables in detail.
type EntitiesRequest struct {
	Connection connection.ID
	Entities   []EntityQuery
	// MaxChars bounds the answer as JSON, about, in characters: columns beyond it
	// are left out and counted; 0 = 40,000, negative = no limit.
	MaxChars int
}

// EntityQuery names a table and, if not all are wanted, its columns.
type EntityQuery struct {
	// Display is the table as one string; Ref is used where it is "".
	Display string
	Ref     sdk.TableRef
	Columns []string
}

// EntitiesAnswer has an entity or an error for each query, in their order. An
// entity of which a column was not found has both.
type EntitiesAnswer struct {
	Entities []Entity      `json:"entities"`
	Errors   []EntityError `json:"errors"`
	// Notes say what was left out, and how to get it.
	Notes []string `json:"notes,omitempty"`
}

// Entity is a table as its snapshot has it.
type Entity struct {
	ConnectionID connection.ID `json:"connectionId"`
	TableRef     TableRef      `json:"tableRef"`
	Display      string        `json:"display"`
	Kind         string        `json:"kind"`
	Comment      *string       `json:"comment"`
	Description  *string       `json:"description"`
	// EstimatedRows is the engine's estimate, else what the profile counted.
	EstimatedRows *int64   `json:"estimatedRows"`
	Columns       []Column `json:"columns"`
	// ColumnsTruncated says that Columns are the first ones of TotalColumns, which
	// is set then alone.
	ColumnsTruncated bool         `json:"columnsTruncated,omitempty"`
	TotalColumns     int          `json:"totalColumns,omitempty"`
	ForeignKeys      []ForeignKey `json:"foreignKeys"`
	Snapshot         Snapshot     `json:"snapshot"`
}

// Snapshot says which snapshot an answer is from.
type Snapshot struct {
	SyncID      string  `json:"syncId"`
	ExtractedAt string  `json:"extractedAt"` // RFC 3339
	ScanRunID   *string `json:"scanRunId"`
}

// EntityError says why an EntityQuery has no entity, or lacks a column.
type EntityError struct {
	Input      string   `json:"input"`
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Candidates []string `json:"candidates"`
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
	image, err := s.Catalogs.Of(string(c.ID)).Latest()
	if err != nil {
		return nil, err
	}
	keys, err := s.keys.Of(c.ID, image)
	if err != nil {
		return nil, err
	}
	l := look{connection: c.ID, image: image, dialect: s.dialect(ctx, c), keys: keys, answer: &EntitiesAnswer{Entities: []Entity{}, Errors: []EntityError{}}}
	for _, q := range r.Entities {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := l.add(q); err != nil {
			return nil, err
		}
	}
	l.answer.fit(r.MaxChars)
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
	connection connection.ID
	image      *catalog.Image
	dialect    *dialect.Dialect
	keys       *foreignkey.Keys
	answer     *EntitiesAnswer
}

// add answers one query. Errors: those of reading the snapshot.
func (l *look) add(q EntityQuery) error {
	input := q.Display
	find := func() (int, error) { return l.image.Find(l.dialect, q.Display) }
	if q.Display == "" {
		input = catalog.Display(q.Ref)
		find = func() (int, error) { return l.image.Lookup(l.dialect, q.Ref) }
	}
	position, err := find()
	if err != nil {
		return l.failed(input, err)
	}
	t, err := l.image.At(position)
	if err != nil {
		return err
	}
	e := l.entity(&t.Table)
	if e.EstimatedRows == nil {
		if e.EstimatedRows, err = l.counted(position); err != nil {
			return err
		}
	}
	if e.ForeignKeys, err = l.foreignKeys(&t.Table); err != nil {
		return err
	}
	if len(q.Columns) > 0 {
		l.narrow(&e, q.Columns)
	}
	l.answer.Entities = append(l.answer.Entities, e)
	return nil
}

// counted returns the rows of a table of which the engine has no estimate, if a
// profile went through all of them.
func (l *look) counted(position int) (*int64, error) {
	p, err := l.image.Profile(position)
	if err != nil || p == nil || len(p.Stats) == 0 {
		return nil, err
	}
	return count(p.Stats[0].Rows, p.Stats[0].Complete), nil
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
		Input: brief(input), Code: code, Message: e.Msg + "; " + e.Hint, Candidates: list(e.Candidates),
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

func (l *look) entity(t *sdk.Table) Entity {
	kind, ok := kinds[t.Kind]
	if !ok {
		kind = "table"
	}
	return Entity{
		ConnectionID: l.connection, TableRef: newTableRef(t.TableRef), Display: catalog.Display(t.TableRef), Kind: kind,
		Comment: known(t.Comment), EstimatedRows: count(t.RowEstimate, t.RowEstimate >= 0),
		Columns: columns(t),
		Snapshot: Snapshot{
			SyncID: l.image.SyncID, ExtractedAt: moment(l.image.ExtractedAt), ScanRunID: known(l.image.ScanRunID),
		},
	}
}
