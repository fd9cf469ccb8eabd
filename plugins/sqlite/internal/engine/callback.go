package engine

import (
	"time"
	"unsafe"

	"modernc.org/libc"
)

// progressSteps is how many steps of its virtual machine SQLite runs between
// two looks at the context: some ten microseconds. Source: what the module's
// own driver uses.
const progressSteps = 1000

// address returns the C function pointer of a declared Go function.
// Source: the representation of function values, https://golang.org/s/go11func;
// the module's own driver does the same.
func address[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}

func connOf(db uintptr) *Conn {
	c, ok := conns.Load(db)
	if !ok {
		return nil
	}
	return c.(*Conn)
}

// onProgress ends what runs once the context has ended. sqlite3_interrupt alone
// is not enough: one that comes before the first step is forgotten.
func onProgress(_ *libc.TLS, db uintptr) int32 {
	if c := connOf(db); c != nil && c.stopped.Load() {
		return 1
	}
	return 0
}

// busyWait is the pause between two tries for a lock.
const busyWait = 10 * time.Millisecond

// onBusy waits for a lock of another connection, as long as the options and the
// context allow.
func onBusy(_ *libc.TLS, db uintptr, tries int32) int32 {
	c := connOf(db)
	if c == nil || c.ctx == nil || time.Duration(tries)*busyWait >= c.busy {
		return 0
	}
	timer := time.NewTimer(busyWait)
	defer timer.Stop()
	select {
	case <-c.ctx.Done():
		return 0
	case <-timer.C:
		return 1
	}
}

// Action is what a statement wants to do, as SQLite's authorizer reports it.
// Source: https://sqlite.org/c3ref/c_alter_table.html
type Action struct {
	Code int32
	// Arg1 and Arg2 depend on the code. HasArg2 tells an empty Arg2 from none.
	Arg1, Arg2 string
	HasArg2    bool
	Schema     string // "main", "temp", or ""
	Within     string // the view or trigger that wants it, or ""
}

// onAuthorize asks the connection's authorizer; without one everything is denied.
func onAuthorize(_ *libc.TLS, db uintptr, code int32, arg1, arg2, schema, within uintptr) int32 {
	const ok, deny = 0, 1 // SQLITE_OK, SQLITE_DENY
	c := connOf(db)
	if c == nil || c.authorize == nil {
		return deny
	}
	a := Action{
		Code: code, Arg1: libc.GoString(arg1), Arg2: libc.GoString(arg2), HasArg2: arg2 != 0,
		Schema: libc.GoString(schema), Within: libc.GoString(within),
	}
	if !c.authorize(a) {
		c.denied = &a
		return deny
	}
	return ok
}
