//go:build cgo

package engine

import (
	"fmt"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// Kind is the library's verdict on what a statement is.
type Kind = duck.StatementType

const (
	KindSelect  Kind = duck.StatementTypeSelect
	KindExplain Kind = duck.StatementTypeExplain
)

// Stmt is a prepared statement and, once it runs, its result.
type Stmt struct {
	stmt    duck.PreparedStatement
	pending duck.PendingResult
	result  duck.Result
	chunk   Chunk
	running bool
}

// Prepare compiles the one statement of a text; it runs nothing.
// Errors: ErrEmpty, ErrSeveral, *Error.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	var all duck.ExtractedStatements
	defer duck.DestroyExtracted(&all)
	switch n := duck.ExtractStatements(c.conn, sql, &all); {
	case n == 0:
		if message := duck.ExtractStatementsError(all); message != "" {
			return nil, parseError(message)
		}
		return nil, ErrEmpty
	case n > 1:
		return nil, ErrSeveral
	}
	s := &Stmt{}
	if duck.PrepareExtractedStatement(c.conn, all, 0, &s.stmt) == duck.StateError {
		err := parseError(duck.PrepareError(s.stmt))
		s.Close()
		return nil, err
	}
	return s, nil
}

// PreparePivot compiles a query with a PIVOT without IN, of which the library
// makes several statements: those that create a temporary type run, and the last
// one is returned.
// Errors: ErrSeveral where a statement before the last one is another one; *Error.
func (c *Conn) PreparePivot(sql string) (*Stmt, error) {
	var all duck.ExtractedStatements
	defer duck.DestroyExtracted(&all)
	n := duck.ExtractStatements(c.conn, sql, &all)
	for i := duck.IdxT(0); i < n; i++ {
		s := &Stmt{}
		if duck.PrepareExtractedStatement(c.conn, all, i, &s.stmt) == duck.StateError {
			err := parseError(duck.PrepareError(s.stmt))
			s.Close()
			return nil, err
		}
		if i == n-1 {
			return s, nil
		}
		err := ErrSeveral
		if s.Kind() == duck.StatementTypeCreate {
			_, err = s.Run()
		}
		s.Close()
		if err != nil {
			return nil, err
		}
	}
	return nil, ErrEmpty
}

// Kind returns what the statement is.
func (s *Stmt) Kind() Kind { return duck.PreparedStatementType(s.stmt) }

// Parameters returns how many parameters the statement has.
func (s *Stmt) Parameters() int { return int(duck.NParams(s.stmt)) }

// Bind gives parameter i, from 1, a value: nil, bool, int64, float64, string or
// []byte.
func (s *Stmt) Bind(i int, value any) error {
	var state duck.State
	n := duck.IdxT(i)
	switch v := value.(type) {
	case nil:
		state = duck.BindNull(s.stmt, n)
	case bool:
		state = duck.BindBoolean(s.stmt, n, v)
	case int64:
		state = duck.BindInt64(s.stmt, n, v)
	case float64:
		state = duck.BindDouble(s.stmt, n, v)
	case string:
		state = duck.BindVarchar(s.stmt, n, v)
	case []byte:
		state = duck.BindBlob(s.stmt, n, v)
	default:
		return &Error{Type: "Invalid Input", Msg: fmt.Sprintf("a %T cannot be a parameter", value), Offset: -1}
	}
	if state == duck.StateError {
		return parseError(duck.PrepareError(s.stmt))
	}
	return nil
}

// Planned returns the columns as preparing them told. The types are all known
// only where no parameter decides them.
func (s *Stmt) Planned() []Column {
	columns := make([]Column, duck.PreparedStatementColumnCount(s.stmt))
	for i := range columns {
		n := duck.IdxT(i)
		columns[i] = newColumn(duck.PreparedStatementColumnName(s.stmt, n), duck.PreparedStatementColumnLogicalType(s.stmt, n))
	}
	return columns
}

// Run starts the statement and returns the columns of its result, which Next
// then reads as the library makes it.
func (s *Stmt) Run() ([]Column, error) {
	if duck.PendingPreparedStreaming(s.stmt, &s.pending) == duck.StateError {
		return nil, parseError(duck.PendingError(s.pending))
	}
	if duck.ExecutePending(s.pending, &s.result) == duck.StateError {
		err := parseError(duck.ResultError(&s.result))
		duck.DestroyResult(&s.result)
		return nil, err
	}
	s.running = true
	columns := make([]Column, duck.ColumnCount(&s.result))
	for i := range columns {
		n := duck.IdxT(i)
		columns[i] = newColumn(duck.ColumnName(&s.result, n), duck.ColumnLogicalType(&s.result, n))
	}
	s.chunk.vectors = newVectors(columns)
	return columns, nil
}

// Next returns the next rows, valid until the following call; nil after the
// last ones.
func (s *Stmt) Next() (*Chunk, error) {
	for {
		duck.DestroyDataChunk(&s.chunk.chunk)
		s.chunk.chunk = duck.FetchChunk(s.result)
		if s.chunk.chunk.Ptr == nil {
			if message := duck.ResultError(&s.result); message != "" {
				return nil, parseError(message)
			}
			return nil, nil
		}
		if s.chunk.Rows = int(duck.DataChunkGetSize(s.chunk.chunk)); s.chunk.Rows > 0 {
			s.chunk.bind()
			return &s.chunk, nil
		}
	}
}

// Close frees the statement and ends it where it runs. Idempotent.
func (s *Stmt) Close() {
	duck.DestroyDataChunk(&s.chunk.chunk)
	if s.running {
		duck.DestroyResult(&s.result)
		s.running = false
	}
	duck.DestroyPending(&s.pending)
	duck.DestroyPrepare(&s.stmt)
}
