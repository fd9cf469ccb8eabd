//go:build cgo && linux

package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"compress/zlib"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/compress"
)

// answer is a response. Its beginning is held back, up to a limit, so that an
// error can still become the status; after that an error is framed in the body,
// as the server does it.
type answer struct {
	w        http.ResponseWriter
	begun    time.Time
	limit    int // bytes held back; negative for all
	framed   bool
	frames   *compress.Writer
	accept   string // the content encoding that the caller wants, "" for none
	tag      string // marks a framed exception
	held     bytes.Buffer
	out      io.WriteCloser // nil until the headers are sent
	progress statistics
}

func newAnswer(w http.ResponseWriter, r *http.Request) *answer {
	query := r.URL.Query()
	a := &answer{w: w, begun: time.Now(), tag: strings.ToLower(rand.Text()[:16])}
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if name := strings.TrimSpace(encoding); name == "gzip" || name == "deflate" {
			a.accept = cmp.Or(a.accept, name)
		}
	}
	if v := query.Get("enable_http_compression"); v != "" && !truth(v) {
		a.accept = ""
	}
	if truth(query.Get("compress")) {
		a.framed, a.accept = true, ""
		method := compress.LZ4
		if strings.EqualFold(query.Get("network_compression_method"), "ZSTD") {
			method = compress.ZSTD
		}
		a.frames = compress.NewWriter(compress.LevelZero, method)
	}
	return a
}

// write sends a piece of the result.
func (a *answer) write(piece []byte) error {
	if a.out != nil {
		return a.send(piece)
	}
	a.held.Write(piece)
	if a.limit >= 0 && a.held.Len() > a.limit {
		return a.begin()
	}
	return nil
}

// begin sends the headers and what was held back.
func (a *answer) begin() error {
	h := a.w.Header()
	h.Set("X-ClickHouse-Summary", a.summary())
	h.Set("X-ClickHouse-Exception-Tag", a.tag)
	a.out = nopCloser{a.w}
	if a.accept != "" {
		h.Set("Content-Encoding", a.accept)
	}
	a.w.WriteHeader(http.StatusOK)
	switch a.accept {
	case "gzip":
		a.out = gzip.NewWriter(a.w)
	case "deflate":
		a.out = zlib.NewWriter(a.w)
	}
	held := a.held.Bytes()
	a.held = bytes.Buffer{}
	return a.send(held)
}

// maxFrame is how much of a result is one compressed frame.
const maxFrame = 1 << 20

func (a *answer) send(piece []byte) error {
	if a.framed {
		for len(piece) > 0 {
			n := min(len(piece), maxFrame)
			if err := a.frames.Compress(piece[:n]); err != nil {
				return err
			}
			if _, err := a.out.Write(a.frames.Data); err != nil {
				return err
			}
			piece = piece[n:]
		}
	} else if _, err := a.out.Write(piece); err != nil {
		return err
	}
	if f, ok := a.out.(interface{ Flush() error }); ok {
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(a.w).Flush()
}

// finish ends a result.
func (a *answer) finish() error {
	if a.out == nil {
		if err := a.begin(); err != nil {
			return err
		}
	}
	return a.out.Close()
}

// fail ends the answer with an error.
func (a *answer) fail(failure error) error {
	e, ok := errors.AsType[*exception](failure)
	if !ok {
		e = &exception{1002, "UNKNOWN_EXCEPTION", failure.Error()}
	}
	text := e.Error() + "\n"
	if a.out != nil {
		block := fmt.Sprintf("\r\n__exception__\r\n%s\r\n%s%d %s\r\n__exception__\r\n", a.tag, text, len(text), a.tag)
		return errors.Join(a.send([]byte(block)), a.out.Close())
	}
	h := a.w.Header()
	h.Set("X-ClickHouse-Exception-Code", strconv.Itoa(e.code))
	h.Set("Content-Type", "text/plain; charset=UTF-8")
	a.w.WriteHeader(e.status())
	a.out = nopCloser{a.w}
	return a.send([]byte(text))
}

// summary is the text of the header that sums up the work so far.
func (a *answer) summary() string {
	p := a.progress
	return fmt.Sprintf(`{"read_rows":"%d","read_bytes":"%d","written_rows":"%d","written_bytes":"%d","total_rows_to_read":"0","result_rows":"%d","result_bytes":"%d","elapsed_ns":"%d"}`,
		p.readRows, p.readBytes, p.writtenRows, p.writtenBytes, p.resultRows, p.resultBytes, time.Since(a.begun).Nanoseconds())
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// contentType is the type that the server gives a format's result.
func contentType(format string) string {
	switch name := strings.ToLower(format); {
	case strings.HasPrefix(name, "json") && strings.HasSuffix(name, "eachrow"):
		return "application/x-ndjson; charset=UTF-8"
	case strings.HasPrefix(name, "json"):
		return "application/json; charset=UTF-8"
	case strings.HasPrefix(name, "tabseparated"), strings.HasPrefix(name, "tsv"):
		return "text/tab-separated-values; charset=UTF-8"
	case strings.HasPrefix(name, "csv"):
		return "text/csv; charset=UTF-8; header=absent"
	case name == "native", strings.HasPrefix(name, "rowbinary"), name == "parquet", strings.HasPrefix(name, "arrow"):
		return "application/octet-stream"
	}
	return "text/plain; charset=UTF-8"
}
