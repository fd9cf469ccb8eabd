package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Options of a connection.
type Options struct {
	// BusyTimeout is how long to wait for a lock of another process.
	BusyTimeout time.Duration
	// Limits maps limit categories to values.
	// Source: https://sqlite.org/c3ref/c_limit_attached.html
	Limits map[int32]int32
	// Switches maps configuration options to off or on.
	// Source: https://sqlite.org/c3ref/c_dbconfig_defensive.html
	Switches map[int32]bool
}

// Conn is an open connection to a database file.
type Conn struct {
	db, out   uintptr // out has room for two pointers
	tls       *libc.TLS
	busy      time.Duration
	authorize func(Action) bool
	denied    *Action
	ctx       context.Context // of the work under way, see Watch
	stopped   atomic.Bool     // ctx has ended
}

// open connections by handle, for the library's callbacks.
var conns sync.Map // uintptr → *Conn

// outSize is room for two pointers.
const outSize = 2 * int(unsafe.Sizeof(uintptr(0)))

// Open opens an existing file for reading; whatever happens later, the library
// opens no file of this connection for writing. path is a plain file name: it
// is no URI.
// Errors: *Error; SQLITE_CANTOPEN for a file that cannot be opened. That the
// file is a database shows at the first statement only.
func Open(path string, o Options) (*Conn, error) {
	c := &Conn{tls: libc.NewTLS(), busy: o.BusyTimeout}
	c.out = c.tls.Alloc(outSize)
	name, err := libc.CString(path)
	if err != nil {
		c.release()
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	// One goroutine at a time uses a connection, so that SQLite needs no mutex.
	const flags = sqlite3.SQLITE_OPEN_READONLY | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_EXRESCODE
	code := sqlite3.Xsqlite3_open_v2(c.tls, name, c.out, flags, 0)
	c.db = c.pointer(0)
	if code == sqlite3.SQLITE_OK {
		code = c.configure(o)
	}
	if code != sqlite3.SQLITE_OK {
		failed := c.failure(code)
		c.release()
		return nil, failed
	}
	return c, nil
}

func (c *Conn) configure(o Options) int32 {
	for category, value := range o.Limits {
		sqlite3.Xsqlite3_limit(c.tls, c.db, category, value)
	}
	for option, on := range o.Switches {
		if code := c.configureSwitch(option, on); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	conns.Store(c.db, c)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.db, progressSteps, address(onProgress), c.db)
	return sqlite3.Xsqlite3_busy_handler(c.tls, c.db, address(onBusy), c.db)
}

func (c *Conn) configureSwitch(option int32, on bool) int32 {
	var value int32
	if on {
		value = 1
	}
	const slot = 8 // of a variadic argument, whatever its size
	arguments := c.tls.Alloc(2 * slot)
	defer c.tls.Free(2 * slot)
	return sqlite3.Xsqlite3_db_config(c.tls, c.db, option, libc.VaList(arguments, value, uintptr(0)))
}

// Close closes the connection. Its statements must be finalized.
func (c *Conn) Close() error {
	if c.tls == nil {
		return nil
	}
	conns.Delete(c.db)
	if code := sqlite3.Xsqlite3_close_v2(c.tls, c.db); code != sqlite3.SQLITE_OK {
		return c.failure(code)
	}
	c.db = 0
	c.release()
	return nil
}

func (c *Conn) release() {
	if c.db != 0 { // an open that failed leaves a handle
		conns.Delete(c.db)
		sqlite3.Xsqlite3_close_v2(c.tls, c.db)
		c.db = 0
	}
	c.tls.Free(outSize)
	c.tls.Close()
	c.tls = nil
}

// pointer reads one of the pointers in out.
func (c *Conn) pointer(i int) uintptr {
	memory := libc.GoBytes(c.out, outSize)
	return *(*uintptr)(unsafe.Pointer(&memory[i*outSize/2]))
}

// IsReadOnly reports whether the library itself holds the file open for reading
// only.
func (c *Conn) IsReadOnly() (bool, error) {
	name, err := libc.CString("main")
	if err != nil {
		return false, err
	}
	defer libc.Xfree(c.tls, name)
	return sqlite3.Xsqlite3_db_readonly(c.tls, c.db, name) == 1, nil
}

// Authorize lets f decide, while statements are prepared, what they may do.
func (c *Conn) Authorize(f func(Action) bool) error {
	c.authorize = f
	if code := sqlite3.Xsqlite3_set_authorizer(c.tls, c.db, address(onAuthorize), c.db); code != sqlite3.SQLITE_OK {
		return c.failure(code)
	}
	return nil
}

// Watch ties the work that follows to ctx: when it ends, what runs ends with
// SQLITE_INTERRUPT within milliseconds. The caller calls release when the work
// is over; the connection is then as good as before.
func (c *Conn) Watch(ctx context.Context) (release func()) {
	c.ctx = ctx
	settled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(settled)
		c.stopped.Store(true)
		tls := libc.NewTLS() // the connection's own is in use
		sqlite3.Xsqlite3_interrupt(tls, c.db)
		tls.Close()
	})
	return func() {
		if !stop() {
			<-settled // a late interrupt must not hit the next statement
		}
		c.ctx = nil
		c.stopped.Store(false)
	}
}

// Version returns the library's version, "3.54.1".
func Version() string { return sqlite3.SQLITE_VERSION }
