package engine

import (
	"errors"
	"fmt"
	"syscall"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Error is what the library reported.
type Error struct {
	// Code is the extended result code. Source: https://sqlite.org/rescode.html
	Code int32
	Msg  string
	// Offset is the byte in the SQL that the error is about, or -1.
	Offset int
	// Errno is the operating system's error behind it, or 0.
	Errno syscall.Errno
	// Denied is what the authorizer refused, if that is the error.
	Denied *Action
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Msg, e.Code) }

// Primary returns the primary result code, the low byte of Code.
func (e *Error) Primary() int32 { return e.Code & 0xff }

// ErrEmpty is Prepare's answer to text without a statement.
var ErrEmpty = errors.New("no statement")

// SeveralError is Prepare's answer to text with more than one statement. None
// of them has run.
type SeveralError struct {
	Offset int // of the second statement, in bytes
}

func (e *SeveralError) Error() string { return "several statements" }

// failure makes an Error of a result code and the connection's last message.
func (c *Conn) failure(code int32) *Error {
	e := &Error{Code: code, Offset: -1}
	if c.db != 0 && (e.Primary() == sqlite3.SQLITE_CANTOPEN || e.Primary() == sqlite3.SQLITE_IOERR) {
		e.Errno = syscall.Errno(sqlite3.Xsqlite3_system_errno(c.tls, c.db))
	}
	if c.db == 0 || sqlite3.Xsqlite3_extended_errcode(c.tls, c.db)&0xff != code&0xff {
		e.Msg = libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, code))
		return e
	}
	e.Code = sqlite3.Xsqlite3_extended_errcode(c.tls, c.db)
	e.Msg = libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))
	if offset := sqlite3.Xsqlite3_error_offset(c.tls, c.db); offset >= 0 {
		e.Offset = int(offset)
	}
	e.Denied = c.denied
	return e
}
