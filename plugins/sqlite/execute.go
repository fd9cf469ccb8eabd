package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The first rows decide the types of a result's columns. As many as an agent's
// result has are enough to make a later misfit an affair of exports.
const (
	aheadRows  = 8192
	aheadBytes = 4 << 20
)

// Execute implements sdk.Session.
func (s *session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	return s.call(ctx, req.Limits.Timeout, req.SQL, func(ctx context.Context, c *engine.Conn) error {
		stmt, err := prepare(ctx, c, req.SQL)
		if err != nil {
			return err
		}
		defer stmt.Finalize()
		if err := bind(stmt, req.Params); err != nil {
			return err
		}
		return s.copy(stmt, req, w)
	})
}

func bind(stmt *engine.Stmt, params []sdk.Value) error {
	if err := sqlkit.CheckParameters(stmt.Parameters(), len(params)); err != nil {
		return err
	}
	for i, p := range params {
		if err := stmt.Bind(i+1, p); err != nil {
			return err
		}
	}
	return nil
}

// copy writes the result of a statement to w. A column with a misfit comes as
// TEXT when the statement is repeated.
func (s *session) copy(stmt *engine.Stmt, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	out := newWriter(stmt, req.Limits, w)
	out.loose, _ = s.loose.Get(req.SQL)
	err := out.all()
	if misfit, ok := errors.AsType[*misfitError](err); ok {
		s.loose.Put(req.SQL, append(slices.Clone(out.loose), misfit.column))
	}
	return err
}

// cell is a value that was read ahead; number holds an integer or the bits of a
// double, data lies in the writer's arena.
type cell struct {
	class      engine.Class
	number     uint64
	start, end int
}

// writer turns rows of a statement into rows of a result.
type writer struct {
	stmt    *engine.Stmt
	w       *sdk.RowWriter
	columns []sdk.Column
	seen    []seen
	ahead   []cell // row by row
	arena   []byte
	maxRows int64
	maxCell int
	scratch []byte
	loose   []int // the columns that must come as TEXT
}

func newWriter(stmt *engine.Stmt, limits sdk.Limits, w *sdk.RowWriter) *writer {
	out := &writer{
		stmt: stmt, w: w, columns: make([]sdk.Column, stmt.Columns()), seen: make([]seen, stmt.Columns()),
		maxRows: limits.MaxRows,
		maxCell: cmp.Or(max(limits.MaxCellBytes, 0), sdk.DefaultMaxCellBytes),
	}
	for i := range out.columns {
		out.columns[i] = sdk.Column{Name: stmt.Name(i), NativeType: stmt.DeclaredType(i), Nullable: true}
	}
	return out
}

// all writes the whole result: first it reads ahead to learn what the columns
// hold, then it writes what it has read, then it goes on row by row.
// Errors: *misfitError; those of the engine and of w, but for ErrLimit.
func (out *writer) all() error {
	more, err := out.readAhead()
	if err != nil {
		return err
	}
	for i := range out.columns {
		if out.columns[i].Type = decide(out.columns[i].NativeType, out.seen[i]); slices.Contains(out.loose, i) {
			out.columns[i].Type = sdk.TypeText
		}
	}
	if err := out.w.Columns(out.columns...); err != nil {
		return err
	}
	out.note()
	err = out.writeAhead()
	for err == nil && more {
		if err = out.writeRow(); err == nil {
			more, err = out.stmt.Step()
		}
	}
	if errors.Is(err, sdk.ErrLimit) {
		return nil
	}
	return err
}

// note says which columns come as text because no other type holds all their
// values.
func (out *writer) note() {
	for i, c := range out.columns {
		if c.Type == sdk.TypeText && (slices.Contains(out.loose, i) || out.seen[i].mixed()) {
			out.w.Notice(sdk.Warning{
				Object: c.Name, Code: "mixed",
				Message: fmt.Sprintf("column %q holds values that no one type fits: they come as text, blobs as X'…'", c.Name),
			})
		}
	}
}

// readAhead reads rows until there are enough. After it the statement stands on a row
// that was not read, if more.
func (out *writer) readAhead() (more bool, err error) {
	rows := int64(aheadRows)
	if out.maxRows > 0 {
		rows = min(rows, out.maxRows)
	}
	for more, err = out.stmt.Step(); more && err == nil; more, err = out.stmt.Step() {
		if rows == 0 || out.aheadSize() >= aheadBytes {
			break
		}
		rows--
		for i := range out.columns {
			if err := out.readCell(i); err != nil {
				return false, err
			}
		}
	}
	return more, err
}

func (out *writer) aheadSize() int {
	const cellSize = 32
	return len(out.ahead)*cellSize + len(out.arena)
}

func (out *writer) readCell(i int) error {
	c := cell{class: out.stmt.Class(i), start: len(out.arena)}
	switch c.class {
	case engine.Integer:
		c.number = uint64(out.stmt.Int64(i))
	case engine.Float:
		c.number = math.Float64bits(out.stmt.Float64(i))
	case engine.Text, engine.Blob:
		data, err := out.stmt.Bytes(i, c.class)
		if err != nil {
			return err
		}
		// One byte more than a cell may have shows that there is more.
		out.arena = append(out.arena, data[:min(len(data), out.maxCell+1)]...)
	case engine.Null:
	}
	c.end = len(out.arena)
	out.seen[i].add(c.class, int64(c.number), out.arena[c.start:c.end])
	out.ahead = append(out.ahead, c)
	return nil
}

// writeAhead writes the rows that were read ahead, and frees them.
func (out *writer) writeAhead() error {
	for i := range out.ahead {
		c := &out.ahead[i]
		column := i % len(out.columns)
		if err := out.write(column, c.class, int64(c.number), math.Float64frombits(c.number), out.arena[c.start:c.end]); err != nil {
			return err
		}
		if column == len(out.columns)-1 {
			if err := out.w.EndRow(); err != nil {
				return err
			}
		}
	}
	out.ahead, out.arena = nil, nil
	return nil
}

// writeRow writes the row on which the statement stands.
func (out *writer) writeRow() error {
	for i := range out.columns {
		var integer int64
		var float float64
		var data []byte
		var err error
		class := out.stmt.Class(i)
		switch class {
		case engine.Integer:
			integer = out.stmt.Int64(i)
		case engine.Float:
			float = out.stmt.Float64(i)
		case engine.Text, engine.Blob:
			if data, err = out.stmt.Bytes(i, class); err != nil {
				return err
			}
		case engine.Null:
		}
		if err := out.write(i, class, integer, float, data); err != nil {
			return err
		}
	}
	return out.w.EndRow()
}

// write appends a value to its column.
func (out *writer) write(column int, class engine.Class, integer int64, float float64, data []byte) error {
	fits := true
	switch t := out.columns[column].Type; {
	case class == engine.Null:
		out.w.Null()
	case t == sdk.TypeInt64 && class == engine.Integer:
		out.w.Int64(integer)
	case t == sdk.TypeFloat64 && class == engine.Float:
		out.w.Float64(float)
	case t == sdk.TypeFloat64 && class == engine.Integer && -exactInteger <= integer && integer <= exactInteger:
		out.w.Float64(float64(integer))
	case t == sdk.TypeBool && class == engine.Integer && (integer == 0 || integer == 1):
		out.w.Bool(integer == 1)
	case t == sdk.TypeBytes && class == engine.Blob:
		out.w.Bytes(data)
	case t == sdk.TypeDate && class == engine.Text:
		var days int64
		if days, fits = parseDate(data); fits {
			out.w.Int64(days)
		}
	case t == sdk.TypeText:
		out.w.Bytes(out.text(class, integer, float, data))
	default:
		fits = false
	}
	if !fits {
		return &misfitError{out.columns[column], column, class}
	}
	return nil
}

// text returns a value as a TEXT column shows it.
func (out *writer) text(class engine.Class, integer int64, float float64, data []byte) []byte {
	switch class {
	case engine.Integer:
		out.scratch = strconv.AppendInt(out.scratch[:0], integer, 10)
	case engine.Float:
		out.scratch = sdk.AppendFloat(out.scratch[:0], float)
	case engine.Blob:
		out.scratch = appendBlob(out.scratch[:0], data[:min(len(data), out.maxCell)])
	default:
		return data
	}
	return out.scratch
}

// misfitError is a value that its column's type does not hold.
type misfitError struct {
	sent   sdk.Column
	column int
	class  engine.Class
}

func (e *misfitError) Error() string {
	class := map[engine.Class]string{engine.Integer: "an integer", engine.Float: "a real", engine.Text: "text", engine.Blob: "a blob"}[e.class]
	return fmt.Sprintf("column %q was sent as %s, and then a row holds %s that does not fit it: its values are of several types",
		e.sent.Name, e.sent.Type, class)
}
