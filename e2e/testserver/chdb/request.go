//go:build cgo && linux

package main

import (
	"cmp"
	"compress/gzip"
	"compress/zlib"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	chproto "github.com/ClickHouse/ch-go/proto"
)

// request is what a caller asks for.
type request struct {
	user     string
	account  account
	id       string
	database string
	text     statement
	data     io.Reader // of an INSERT; nil if it is in the text
	format   string    // of the result, unless the statement names one
	params   []param
	settings url.Values
	revision int  // of the Native format
	framed   bool // the answer is in the engine's compressed frames
	buffer   int  // bytes of an answer that are held back, so that an error can still be its status; negative for all
	cancels  bool // the statement ends when the caller goes away
}

// maxText limits a statement without the data of an INSERT.
const maxText = 64 << 20

// reserved are the parameters of the URL that are no settings.
var reserved = map[string]bool{
	"query": true, "default_format": true, "database": true, "query_id": true, "user": true, "password": true,
	"quota_key": true, "stacktrace": true, "compress": true, "decompress": true, "buffer_size": true,
	"wait_end_of_query": true, "client_protocol_version": true, "close_session": true,
	"session_timeout": true, "session_check": true,
}

// parse reads a request, the whole of it but for the data of an INSERT.
func parse(r *http.Request) (*request, error) {
	user, a, err := login(r)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	for _, name := range []string{"session_id", "role"} {
		if query.Has(name) {
			return nil, &exception{48, "NOT_IMPLEMENTED", "The test server has no " + name}
		}
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return nil, &exception{48, "NOT_IMPLEMENTED", "The test server has no external tables"}
	}
	req := &request{
		user: user, account: a, settings: url.Values{},
		id:       cmp.Or(query.Get("query_id"), newID()),
		database: cmp.Or(query.Get("database"), r.Header.Get("X-ClickHouse-Database"), "default"),
		format:   cmp.Or(query.Get("default_format"), r.Header.Get("X-ClickHouse-Format"), "TabSeparated"),
		framed:   truth(query.Get("compress")),
		buffer:   1 << 20,
	}
	if n, err := strconv.Atoi(query.Get("buffer_size")); err == nil && n > 0 {
		req.buffer = n
	}
	if truth(query.Get("wait_end_of_query")) {
		req.buffer = -1
	}
	if v := query.Get("client_protocol_version"); v != "" {
		if req.revision, err = strconv.Atoi(v); err != nil {
			return nil, &exception{36, "BAD_ARGUMENTS", "client_protocol_version is no number"}
		}
	}
	for name, values := range query {
		if rest, ok := strings.CutPrefix(name, "param_"); ok {
			req.params = append(req.params, param{rest, values[0]})
		} else if !reserved[name] {
			req.settings[name] = values
		}
	}
	slices.SortFunc(req.params, func(a, b param) int { return strings.Compare(a.name, b.name) })
	// A GET changes nothing, whatever it asks.
	if r.Method == http.MethodGet && a.readonly == "" && !req.settings.Has("readonly") {
		req.account.readonly = "2"
	}
	req.cancels = truth(req.settings.Get("cancel_http_readonly_queries_on_client_close")) &&
		(req.account.readonly != "" || !slices.Contains([]string{"", "0"}, req.settings.Get("readonly")))
	return req, req.readBody(r)
}

func truth(v string) bool { return v == "1" || v == "true" }

// readBody takes the statement from the URL and the body.
func (req *request) readBody(r *http.Request) error {
	body, err := decoded(r)
	if err != nil {
		return err
	}
	text := r.URL.Query().Get("query")
	if text != "" {
		req.text = newStatement(text)
		if _, _, ok := req.text.inserts(); ok {
			req.data = body
			return nil
		}
		text += "\n"
	}
	rest, err := io.ReadAll(io.LimitReader(body, maxText+1))
	if err != nil {
		return &exception{33, "CANNOT_READ_ALL_DATA", "The body cannot be read: " + err.Error()}
	}
	if len(rest) > maxText {
		return &exception{229, "QUERY_IS_TOO_LARGE", "The statement is too large for the test server"}
	}
	req.text = newStatement(strings.TrimSuffix(text+string(rest), "\n"))
	return nil
}

// decoded returns the body without its compression.
func decoded(r *http.Request) (io.Reader, error) {
	var body io.Reader = r.Body
	var err error
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "":
	case "gzip":
		body, err = gzip.NewReader(body)
	case "deflate":
		body, err = zlib.NewReader(body)
	default:
		return nil, &exception{89, "UNKNOWN_COMPRESSION_METHOD", "The test server has no Content-Encoding " + encoding}
	}
	if err != nil {
		return nil, &exception{33, "CANNOT_READ_ALL_DATA", "The body is not compressed as it says: " + err.Error()}
	}
	if truth(r.URL.Query().Get("decompress")) {
		frames := chproto.NewReader(body)
		frames.EnableCompression()
		body = frames
	}
	return body, nil
}

// newID returns a random query id in the form of a UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
