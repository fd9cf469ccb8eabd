package engine

import (
	"bytes"
	"strings"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Class is the storage class of a value.
type Class int32

const (
	Integer Class = sqlite3.SQLITE_INTEGER
	Float   Class = sqlite3.SQLITE_FLOAT
	Text    Class = sqlite3.SQLITE_TEXT
	Blob    Class = sqlite3.SQLITE_BLOB
	Null    Class = sqlite3.SQLITE_NULL
)

// Stmt is one prepared statement.
type Stmt struct {
	c       *Conn
	handle  uintptr
	columns int32
}

// Prepare compiles the one statement that sql has; empty statements, white
// space and comments around it do not count.
// Errors: *Error; ErrEmpty; *SeveralError, found before anything ran: what
// follows the first statement is compiled with everything denied.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	if i := strings.IndexByte(sql, 0); i >= 0 {
		// The library would take the text up to here for the whole.
		return nil, &Error{Code: sqlite3.SQLITE_ERROR, Msg: "the statement has a NUL character", Offset: i}
	}
	text, err := libc.CString(sql)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, text)
	handle, next, err := c.compile(text, 0, len(sql))
	if err != nil {
		return nil, err
	}
	if handle == 0 {
		return nil, ErrEmpty
	}
	s := &Stmt{c: c, handle: handle, columns: sqlite3.Xsqlite3_column_count(c.tls, handle)}
	if c.hasStatement(text, next, len(sql)) {
		s.Finalize()
		rest := strings.TrimLeft(sql[next:], "; \t\r\n\f")
		return nil, &SeveralError{Offset: len(sql) - len(rest)}
	}
	return s, nil
}

// compile compiles the first statement from an offset on; handle 0 means that
// there is only white space, comments and semicolons. next is where it ends.
func (c *Conn) compile(text uintptr, offset, size int) (handle uintptr, next int, err error) {
	c.denied = nil
	start := text + uintptr(offset)
	remains := int32(size-offset) + 1 // with the NUL, which spares the library a copy
	if code := sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, start, remains, c.out, c.out+unsafe.Sizeof(start)); code != sqlite3.SQLITE_OK {
		return 0, 0, c.failure(code)
	}
	return c.pointer(0), min(int(c.pointer(1)-text), size), nil
}

// hasStatement reports whether there is a statement from an offset on, a broken
// one included. Everything is denied meanwhile: some pragmas take effect while
// they are compiled.
func (c *Conn) hasStatement(text uintptr, offset, size int) bool {
	authorize := c.authorize
	c.authorize = nil
	defer func() { c.authorize = authorize }()
	handle, _, err := c.compile(text, offset, size)
	if handle != 0 {
		sqlite3.Xsqlite3_finalize(c.tls, handle)
	}
	return handle != 0 || err != nil
}

// Parameters returns how many values Bind wants.
func (s *Stmt) Parameters() int {
	return int(sqlite3.Xsqlite3_bind_parameter_count(s.c.tls, s.handle))
}

// Bind sets parameter i, from 1: nil, bool, int64, float64, string or []byte.
func (s *Stmt) Bind(i int, value any) error {
	const transient = ^uintptr(0) // the library copies
	n := int32(i)
	var code int32
	switch v := value.(type) {
	case nil:
		code = sqlite3.Xsqlite3_bind_null(s.c.tls, s.handle, n)
	case bool:
		var bit int64
		if v {
			bit = 1
		}
		code = sqlite3.Xsqlite3_bind_int64(s.c.tls, s.handle, n, bit)
	case int64:
		code = sqlite3.Xsqlite3_bind_int64(s.c.tls, s.handle, n, v)
	case float64:
		code = sqlite3.Xsqlite3_bind_double(s.c.tls, s.handle, n, v)
	case string:
		text, err := libc.CString(v)
		if err != nil {
			return err
		}
		defer libc.Xfree(s.c.tls, text)
		code = sqlite3.Xsqlite3_bind_text(s.c.tls, s.handle, n, text, int32(len(v)), transient)
	case []byte:
		data, err := libc.CString(string(v))
		if err != nil {
			return err
		}
		defer libc.Xfree(s.c.tls, data)
		code = sqlite3.Xsqlite3_bind_blob(s.c.tls, s.handle, n, data, int32(len(v)), transient)
	default:
		code = sqlite3.SQLITE_MISMATCH
	}
	if code != sqlite3.SQLITE_OK {
		return s.c.failure(code)
	}
	return nil
}

// Step goes to the next row and reports whether there is one.
func (s *Stmt) Step() (bool, error) {
	switch code := sqlite3.Xsqlite3_step(s.c.tls, s.handle); code {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.c.failure(code)
	}
}

// Finalize ends the statement and frees it. Idempotent. What there was to say
// of it, Step has said.
func (s *Stmt) Finalize() {
	sqlite3.Xsqlite3_finalize(s.c.tls, s.handle)
	s.handle = 0
}

// IsReadOnly reports whether the statement writes nothing directly. It is no
// guard: ATTACH and many a PRAGMA count as read-only.
func (s *Stmt) IsReadOnly() bool {
	return sqlite3.Xsqlite3_stmt_readonly(s.c.tls, s.handle) != 0
}

// ShowPlan turns the statement into its own plan: from here on its rows are
// those of EXPLAIN QUERY PLAN (id, parent, unused, detail), and it never runs.
func (s *Stmt) ShowPlan() error {
	const queryPlan = 2
	if code := sqlite3.Xsqlite3_stmt_explain(s.c.tls, s.handle, queryPlan); code != sqlite3.SQLITE_OK {
		return s.c.failure(code)
	}
	s.columns = sqlite3.Xsqlite3_column_count(s.c.tls, s.handle)
	return nil
}

// Columns returns how many columns the result has.
func (s *Stmt) Columns() int { return int(s.columns) }

// Name returns the name of a column.
func (s *Stmt) Name(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_name(s.c.tls, s.handle, int32(i)))
}

// DeclaredType returns the type in the CREATE TABLE of the table column that a
// result column is, or "".
func (s *Stmt) DeclaredType(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_decltype(s.c.tls, s.handle, int32(i)))
}

// Class returns the storage class of the current row's value.
func (s *Stmt) Class(i int) Class {
	return Class(sqlite3.Xsqlite3_column_type(s.c.tls, s.handle, int32(i)))
}

// Int64 returns an Integer value.
func (s *Stmt) Int64(i int) int64 {
	return sqlite3.Xsqlite3_column_int64(s.c.tls, s.handle, int32(i))
}

// Float64 returns a Float value.
func (s *Stmt) Float64(i int) float64 {
	return sqlite3.Xsqlite3_column_double(s.c.tls, s.handle, int32(i))
}

// Bytes returns a Text or Blob value, in the library's memory.
// Errors: SQLITE_NOMEM and SQLITE_TOOBIG when the value cannot be brought to memory.
func (s *Stmt) Bytes(i int, class Class) ([]byte, error) {
	var data uintptr
	if class == Text {
		data = sqlite3.Xsqlite3_column_text(s.c.tls, s.handle, int32(i))
	} else {
		data = sqlite3.Xsqlite3_column_blob(s.c.tls, s.handle, int32(i))
	}
	size := int(sqlite3.Xsqlite3_column_bytes(s.c.tls, s.handle, int32(i)))
	if data != 0 {
		return libc.GoBytes(data, size), nil
	}
	// NULL stands for an empty blob, and for a failure.
	if code := sqlite3.Xsqlite3_extended_errcode(s.c.tls, s.c.db); code&0xff == sqlite3.SQLITE_NOMEM || code&0xff == sqlite3.SQLITE_TOOBIG {
		return nil, s.c.failure(code)
	}
	return nil, nil
}

// Value returns a value as nil, int64, float64, string or []byte, copied.
func (s *Stmt) Value(i int) (any, error) {
	switch class := s.Class(i); class {
	case Null:
		return nil, nil
	case Integer:
		return s.Int64(i), nil
	case Float:
		return s.Float64(i), nil
	default:
		data, err := s.Bytes(i, class)
		if class == Text {
			return string(data), err
		}
		return bytes.Clone(data), err
	}
}
