package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
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
	ConnectionID  connection.ID `json:"connectionId"`
	TableRef      TableRef      `json:"tableRef"`
	Display       string        `json:"display"`
	Kind          string        `json:"kind"`
	Comment       *string       `json:"comment"`
	Description   *string       `json:"description"`
	EstimatedRows *int64        `json:"estimatedRows"`
	Columns       []Column      `json:"columns"`
	// ColumnsTruncated says that Columns are the first ones of TotalColumns, which
	// is set then alone.
	ColumnsTruncated bool         `json:"columnsTruncated,omitempty"`
	TotalColumns     int          `json:"totalColumns,omitempty"`
	ForeignKeys      []ForeignKey `json:"foreignKeys"`
	Snapshot         Snapshot     `json:"snapshot"`
}

// Column is a column of an Entity.
type Column struct {
	Name           string  `json:"name"`
	NativeType     string  `json:"nativeType"`
	NormalizedType string  `json:"normalizedType"`
	DimensionType  string  `json:"dimensionType"`
	Nullable       bool    `json:"nullable"`
	PrimaryKey     bool    `json:"primaryKey"`
	Comment        *string `json:"comment"`
	Description    *string `json:"description"`
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
	registry, err := s.Connections(ctx)
	if err != nil {
		return nil, err
	}
	c, err := registry.Get(r.Connection)
	if err != nil {
		return nil, err
	}
	image, err := s.Catalogs.Of(string(c.ID)).Latest()
	if err != nil {
		return nil, err
	}
	keys, err := s.keysOf(c.ID, image)
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
func (s *Service) dialect(ctx context.Context, c connection.Connection) *dialect.Dialect {
	description, err := s.Connectors.Describe(c)
	if err != nil {
		s.Logger.DebugContext(ctx, "names are compared exactly, for want of the connector", "connection", c.ID, "error", err)
		return nil
	}
	var last sdk.ServerInfo
	if len(description.Dialects) > 1 {
		state, err := s.Remembered.LastKnown(ctx, c)
		if err != nil { // it is worth a guess at the dialect only
			s.Logger.WarnContext(ctx, "last known state of a connection is not readable", "connection", c.ID, "error", err)
		}
		last = state.Server
	}
	return dialect.Pick(description.Dialects, last.Product, last.Version)
}

// look is one call of Entities under way.
type look struct {
	connection connection.ID
	image      *catalog.Image
	dialect    *dialect.Dialect
	keys       keys
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
	if e.ForeignKeys, err = l.keys.of(&t.Table); err != nil {
		return err
	}
	if len(q.Columns) > 0 {
		l.narrow(&e, q.Columns)
	}
	l.answer.Entities = append(l.answer.Entities, e)
	return nil
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
	e := Entity{
		ConnectionID: l.connection, TableRef: newTableRef(t.TableRef), Display: catalog.Display(t.TableRef), Kind: kind,
		Comment: known(t.Comment), EstimatedRows: count(t.RowEstimate, t.RowEstimate >= 0),
		Columns: make([]Column, len(t.Columns)),
		Snapshot: Snapshot{
			SyncID: l.image.SyncID, ExtractedAt: moment(l.image.ExtractedAt), ScanRunID: known(l.image.ScanRunID),
		},
	}
	primary := map[string]bool{}
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyPrimary {
			for _, name := range k.Columns {
				primary[name] = true
			}
		}
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		e.Columns[i] = Column{
			Name: c.Name, NativeType: c.NativeType, NormalizedType: c.Type.String(), DimensionType: dimension(c.Type),
			Nullable: c.Nullable, PrimaryKey: primary[c.Name], Comment: known(c.Comment),
		}
	}
	return e
}

// dimension says what a column can be grouped and filtered as.
func dimension(t sdk.Type) string {
	switch t {
	case sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return "time"
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		return "number"
	case sdk.TypeBool:
		return "boolean"
	default:
		return "string"
	}
}

// narrow keeps the columns that are asked for, in the table's order, and
// reports those that are not there. A name in another case will do where it can
// mean one column only.
func (l *look) narrow(e *Entity, asked []string) {
	wanted := make([]bool, len(e.Columns))
	for _, name := range asked {
		at := columnAt(e.Columns, name)
		if at < 0 {
			l.noColumn(e, name)
			continue
		}
		wanted[at] = true
	}
	kept := []Column{}
	for i, c := range e.Columns {
		if wanted[i] {
			kept = append(kept, c)
		}
	}
	e.Columns = kept
}

// columnAt returns the position of a column, -1 when there is none or several
// that only differ in case.
func columnAt(columns []Column, name string) int {
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if at >= 0 {
		return at
	}
	for i := range columns {
		if !strings.EqualFold(columns[i].Name, name) {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

func (l *look) noColumn(e *Entity, name string) {
	names := make([]string, len(e.Columns))
	var same []string
	for i := range e.Columns {
		names[i] = e.Columns[i].Name
		if strings.EqualFold(names[i], name) {
			same = append(same, names[i])
		}
	}
	failed := EntityError{
		Input: e.Display + "." + brief(name), Code: codeNotFound, Candidates: list(same),
		Message: fmt.Sprintf("%s has no column %q in its snapshot of %s; name one that exists, or run loam scan %s if it is new",
			e.Display, brief(name), e.Snapshot.ExtractedAt, l.connection),
	}
	if len(same) > 0 {
		failed.Code = codeAmbiguous
		failed.Message = fmt.Sprintf("%s has several columns that differ from %q in case alone; spell it as one of them", e.Display, name)
	} else if len(name) <= maxText {
		failed.Candidates = list(sqlkit.Nearest(name, names))
	}
	l.answer.Errors = append(l.answer.Errors, failed)
}
