//go:build cgo && linux

package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// The part of the library's C interface (chdb.h of 26.7) that is used. Handles
// are opaque.
static struct {
	void *(*connect)(int, char **);
	void (*close)(void *);
	void *(*query)(void *, const char *, size_t, const char *, size_t,
		const char *const *, const size_t *, const char *const *, const size_t *, size_t);
	void *(*stream)(void *, const char *, size_t, const char *, size_t,
		const char *const *, const size_t *, const char *const *, const size_t *, size_t);
	void *(*fetch)(void *, void *);
	void (*cancel)(void *, void *);
	void *(*insert)(void *, const char *, size_t, const char *, size_t,
		const char *const *, const size_t *, const char *const *, const size_t *, size_t);
	int (*append)(void *, const void *, size_t);
	void *(*done)(void *);
	void (*cancel_insert)(void *);
	const char *(*insert_error)(void *);
	void (*destroy_insert)(void *);
	void (*destroy)(void *);
	char *(*buffer)(void *);
	size_t (*length)(void *);
	const char *(*error)(void *);
	uint64_t (*rows)(void *);
	uint64_t (*bytes)(void *);
	uint64_t (*storage_rows)(void *);
	uint64_t (*storage_bytes)(void *);
	uint64_t (*written_rows)(void *);
	uint64_t (*written_bytes)(void *);
} lib;

static const char *load(const char *path) {
	void *h = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!h) return dlerror();
	void (*signals)(int) = dlsym(h, "chdb_set_signal_handlers_enabled");
	if (!signals) return dlerror();
	signals(0); // they are the Go runtime's
#define SYMBOL(field, name) if (!(lib.field = dlsym(h, name))) return dlerror();
	SYMBOL(connect, "chdb_connect")
	SYMBOL(close, "chdb_close_conn")
	SYMBOL(query, "chdb_query_with_params_n")
	SYMBOL(stream, "chdb_stream_query_with_params_n")
	SYMBOL(fetch, "chdb_stream_fetch_result")
	SYMBOL(cancel, "chdb_stream_cancel_query")
	SYMBOL(insert, "chdb_stream_insert_with_params_n")
	SYMBOL(append, "chdb_stream_append")
	SYMBOL(done, "chdb_stream_done")
	SYMBOL(cancel_insert, "chdb_stream_cancel_insert")
	SYMBOL(insert_error, "chdb_stream_insert_error")
	SYMBOL(destroy_insert, "chdb_destroy_insert_stream")
	SYMBOL(destroy, "chdb_destroy_query_result")
	SYMBOL(buffer, "chdb_result_buffer")
	SYMBOL(length, "chdb_result_length")
	SYMBOL(error, "chdb_result_error")
	SYMBOL(rows, "chdb_result_rows_read")
	SYMBOL(bytes, "chdb_result_bytes_read")
	SYMBOL(storage_rows, "chdb_result_storage_rows_read")
	SYMBOL(storage_bytes, "chdb_result_storage_bytes_read")
	SYMBOL(written_rows, "chdb_result_rows_written")
	SYMBOL(written_bytes, "chdb_result_bytes_written")
	return 0;
}

// A connection handle is a pointer to what the other calls want.
static void *lib_connect(int n, char **args) { return lib.connect(n, args); }
static void lib_close(void *c) { lib.close(c); }

enum { QUERY, STREAM, INSERT };

static void *lib_start(int how, void *c, const char *sql, size_t sql_len, const char *format, size_t format_len,
		const char *const *names, const size_t *name_lens, const char *const *values, const size_t *value_lens, size_t n) {
	void *conn = *(void **)c;
	switch (how) {
	case QUERY: return lib.query(conn, sql, sql_len, format, format_len, names, name_lens, values, value_lens, n);
	case STREAM: return lib.stream(conn, sql, sql_len, format, format_len, names, name_lens, values, value_lens, n);
	default: return lib.insert(conn, sql, sql_len, format, format_len, names, name_lens, values, value_lens, n);
	}
}
static void *lib_fetch(void *c, void *stream) { return lib.fetch(*(void **)c, stream); }
static void lib_cancel(void *c, void *stream) { lib.cancel(*(void **)c, stream); }
static int lib_append(void *s, const void *data, size_t n) { return lib.append(s, data, n); }
static void *lib_done(void *s) { return lib.done(s); }
static void lib_cancel_insert(void *s) { lib.cancel_insert(s); }
static const char *lib_insert_error(void *s) { return lib.insert_error(s); }
static void lib_destroy_insert(void *s) { lib.destroy_insert(s); }
static void lib_destroy(void *r) { lib.destroy(r); }
static char *lib_buffer(void *r) { return lib.buffer(r); }
static size_t lib_length(void *r) { return lib.length(r); }
static const char *lib_error(void *r) { return lib.error(r); }
static uint64_t lib_number(int which, void *r) {
	switch (which) {
	case 0: return lib.rows(r);
	case 1: return lib.bytes(r);
	case 2: return lib.storage_rows(r);
	case 3: return lib.storage_bytes(r);
	case 4: return lib.written_rows(r);
	default: return lib.written_bytes(r);
	}
}
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// loadLibrary loads the engine into this process, once.
func loadLibrary(path string) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if problem := C.load(p); problem != nil {
		return errors.New(C.GoString(problem))
	}
	return nil
}

// session is one connection to the engine: its own settings, role, current
// database and current statement. A statement that failed or was killed leaves
// the engine's list of processes only when its session is closed.
// Concurrency: one goroutine.
type session struct{ handle unsafe.Pointer }

// openSession connects; the first one of the process boots the engine.
func openSession(args ...string) (*session, error) {
	argv := make([]*C.char, len(args)+1)
	for i, arg := range append([]string{"clickhouse"}, args...) {
		argv[i] = C.CString(arg)
		defer C.free(unsafe.Pointer(argv[i]))
	}
	handle := C.lib_connect(C.int(len(argv)), &argv[0])
	if handle == nil {
		return nil, fmt.Errorf("the library does not connect with %q", args)
	}
	return &session{handle: handle}, nil
}

func (s *session) close() { C.lib_close(s.handle) }

// param is a value for {name:Type} in a statement.
type param struct{ name, value string }

// start begins a statement with one of the three calls of the library.
func (s *session) start(how C.int, sql, format string, params []param) unsafe.Pointer {
	n := len(params)
	names, values := make([]*C.char, n+1), make([]*C.char, n+1) // never of length 0
	nameLens, valueLens := make([]C.size_t, n+1), make([]C.size_t, n+1)
	for i, p := range params {
		names[i], values[i] = C.CString(p.name), C.CString(p.value)
		defer C.free(unsafe.Pointer(names[i]))
		defer C.free(unsafe.Pointer(values[i]))
		nameLens[i], valueLens[i] = C.size_t(len(p.name)), C.size_t(len(p.value))
	}
	cSQL, cFormat := C.CString(sql), C.CString(format)
	defer C.free(unsafe.Pointer(cSQL))
	defer C.free(unsafe.Pointer(cFormat))
	return C.lib_start(how, s.handle, cSQL, C.size_t(len(sql)), cFormat, C.size_t(len(format)),
		&names[0], &nameLens[0], &values[0], &valueLens[0], C.size_t(n))
}

// result is what a statement gave: all of it or, of a stream, the next piece.
type result struct {
	data []byte
	statistics
}

// statistics are numbers about a statement.
type statistics struct {
	resultRows, resultBytes   uint64
	readRows, readBytes       uint64
	writtenRows, writtenBytes uint64
}

func (s *statistics) add(o statistics) {
	s.resultRows += o.resultRows
	s.resultBytes += o.resultBytes
	s.readRows += o.readRows
	s.readBytes += o.readBytes
	s.writtenRows += o.writtenRows
	s.writtenBytes += o.writtenBytes
}

// take copies a result of the library and frees it.
// Errors: *exception, what the engine said.
func take(r unsafe.Pointer) (*result, error) {
	if r == nil {
		return nil, &exception{code: 49, name: "LOGICAL_ERROR", text: "The library gave no result"}
	}
	defer C.lib_destroy(r)
	if problem := C.lib_error(r); problem != nil {
		return nil, parseException(C.GoString(problem))
	}
	number := func(which C.int) uint64 { return uint64(C.lib_number(which, r)) }
	return &result{
		data: C.GoBytes(unsafe.Pointer(C.lib_buffer(r)), C.int(C.lib_length(r))),
		statistics: statistics{
			resultRows: number(0), resultBytes: number(1), readRows: number(2), readBytes: number(3),
			writtenRows: number(4), writtenBytes: number(5),
		},
	}, nil
}

// query runs a statement to its end and holds all of its result.
func (s *session) query(sql, format string, params ...param) (*result, error) {
	return take(s.start(C.QUERY, sql, format, params))
}

// stream runs a SELECT and gives its result to f piece by piece: a piece is a
// block of the engine, in the format.
// Errors: the engine's, and f's, after which the statement has ended.
func (s *session) stream(sql, format string, params []param, f func(*result) error) error {
	handle := s.start(C.STREAM, sql, format, params)
	if handle == nil {
		return &exception{code: 49, name: "LOGICAL_ERROR", text: "The library gave no stream"}
	}
	defer C.lib_destroy(handle)
	if problem := C.lib_error(handle); problem != nil {
		return parseException(C.GoString(problem))
	}
	for {
		r, err := take(C.lib_fetch(s.handle, handle))
		if err != nil || len(r.data) == 0 {
			return err
		}
		if err := f(r); err != nil {
			C.lib_cancel(s.handle, handle)
			return err
		}
	}
}

// insert runs an INSERT with the data of r, which is in the format.
func (s *session) insert(sql, format string, params []param, r io.Reader) (*result, error) {
	handle := s.start(C.INSERT, sql, format, params)
	defer C.lib_destroy_insert(handle)
	piece := make([]byte, 64<<10)
	for C.lib_insert_error(handle) == nil {
		n, err := r.Read(piece)
		if n > 0 {
			// A refused piece sets the error that the loop looks at.
			C.lib_append(handle, unsafe.Pointer(&piece[0]), C.size_t(n))
		}
		if errors.Is(err, io.EOF) { // the reader of compressed frames wraps it
			return take(C.lib_done(handle))
		}
		if err != nil {
			C.lib_cancel_insert(handle)
			return nil, err
		}
	}
	return nil, parseException(C.GoString(C.lib_insert_error(handle)))
}
