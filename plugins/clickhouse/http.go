package clickhouse

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// webRevision is the form of blocks that all versions have over HTTP.
const webRevision = 0

// tailBytes of an answer are kept to look for what the server says in the middle
// of it, which is up to 16 KiB long.
const tailBytes = 64 << 10

// web runs statements over HTTP, one request for each and without sessions, so
// that nothing can stay behind from one to the next.
type web struct {
	dialer *dialer
	client *http.Client
	slots  chan struct{} // one token per request
	// packed: results are asked for in compressed blocks.
	packed bool
}

func newWeb(d *dialer, maxOpen int, idle time.Duration) *web {
	t := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return d.connect(ctx) },
		DialTLSContext:      func(ctx context.Context, _, _ string) (net.Conn, error) { return d.connect(ctx) },
		TLSClientConfig:     d.tls,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1
		MaxIdleConnsPerHost: maxOpen, IdleConnTimeout: idle, DisableCompression: true,
	}
	if !d.net.Tunnelled() {
		t.Proxy, t.OnProxyConnectResponse = http.ProxyFromEnvironment, network.ProxyAnswer
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the password goes nowhere else
	return &web{
		dialer: d, client: &http.Client{Transport: t, CheckRedirect: stay},
		slots: make(chan struct{}, maxOpen),
	}
}

func (h *web) close() error {
	h.client.CloseIdleConnections()
	return nil
}

func (h *web) run(ctx context.Context, q *query) error {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return sqlkit.ContextError(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := h.post(ctx, q)
	if err != nil {
		if ended := sqlkit.ContextError(ctx); ended != nil {
			return errors.Join(ended, h.kill(ctx, q), err)
		}
		return err
	}
	defer drop(response)
	if err = h.read(response, q); err == nil {
		return nil
	}
	if _, said := errors.AsType[*proto.Exception](err); said {
		return err
	}
	ended := sqlkit.ContextError(ctx)
	cancel() // closes the connection, for what still comes is not wanted
	err = errors.Join(err, h.kill(ctx, q))
	if ended != nil {
		return errors.Join(ended, err)
	}
	return err
}

// drop ends an answer: what was read of it is all that counts.
func drop(response *http.Response) { _ = response.Body.Close() }

// post sends a query.
// Errors: *proto.Exception for what the server said; those of explain.
func (h *web) post(ctx context.Context, q *query) (*http.Response, error) {
	values := url.Values{"database": {h.dialer.cfg.Database}, "default_format": {q.format()}}
	if q.id != "" {
		values.Set("query_id", q.id)
	}
	if h.compressed(q) {
		values.Set("compress", "1")
	}
	for _, s := range q.settings {
		values.Set(s.Key, fmt.Sprint(s.Value))
	}
	if q.bound != nil {
		for _, p := range q.bound.params {
			values.Set("param_"+p.name, p.value)
		}
	}
	u := url.URL{Scheme: "http", Host: h.dialer.address(), Path: "/", RawQuery: values.Encode()}
	if h.dialer.tls != nil {
		u.Scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(q.sql))
	if err != nil {
		return nil, err
	}
	request.Header["Idempotency-Key"] = nil // not sent: net/http repeats what an idle connection that died has not taken
	request.Header.Set("User-Agent", clientName)
	request.Header.Set("X-ClickHouse-User", h.dialer.cfg.User)
	request.Header.Set("X-ClickHouse-Key", h.dialer.cfg.Password.Reveal())
	response, err := h.client.Do(request)
	if err != nil {
		return nil, h.dialer.explain(ctx, err, true)
	}
	if response.StatusCode != http.StatusOK {
		defer drop(response)
		return nil, h.refused(response, h.compressed(q))
	}
	return response, nil
}

func (h *web) compressed(q *query) bool { return h.packed && !q.header }

// refused reads what the server says instead of a result.
func (h *web) refused(response *http.Response, compressed bool) error {
	// What cannot be read of an error leaves the rest of it.
	text, _ := io.ReadAll(io.LimitReader(response.Body, tailBytes))
	if compressed {
		r := newReader(bytes.NewReader(text))
		r.EnableCompression()
		if plain, _ := io.ReadAll(io.LimitReader(r, tailBytes)); len(plain) > 0 {
			text = plain
		}
	}
	if said := exceptionIn(text); said != nil {
		return said
	}
	err := fmt.Errorf("%w: HTTP status %s", errStray, response.Status)
	if code, convErr := strconv.ParseInt(response.Header.Get("X-ClickHouse-Exception-Code"), 10, 32); convErr == nil {
		return &proto.Exception{Code: int32(code), Message: string(text)}
	}
	return h.dialer.explain(context.Background(), err, true)
}

// spoken is how the server's exceptions begin, in today's form and in the old.
var spoken = regexp.MustCompile(`Code: (\d+)(?:\. |, e\.displayText\(\) = )([\s\S]*)`)

var mark = regexp.MustCompile(`\n\d+ \w+\r?$`)

// exceptionIn returns the exception whose text is in an answer, nil for none.
func exceptionIn(text []byte) *proto.Exception {
	found := spoken.FindSubmatch(text)
	if found == nil {
		return nil
	}
	// The pattern has digits only; a number too long is a code that means nothing.
	code, _ := strconv.ParseInt(string(found[1]), 10, 32)
	// Behind a text in the middle of an answer stand its length and a mark.
	said, _, _ := strings.Cut(string(found[2]), "\n__exception__")
	return &proto.Exception{Code: int32(code), Message: mark.ReplaceAllString(said, "")}
}

// format is what an answer is asked for in.
func (q *query) format() string {
	if q.header {
		return "TabSeparatedWithNamesAndTypes"
	}
	return "Native"
}

// read reads a result.
func (h *web) read(response *http.Response, q *query) error {
	// A FORMAT clause counts for more than the request. Old servers do not say
	// what they answer in, nor does one that has nothing to answer.
	if format := response.Header.Get("X-ClickHouse-Format"); format != "" && format != q.format() {
		return errFormat()
	}
	tail := &tailReader{r: response.Body}
	if q.header {
		return readHeader(tail, q)
	}
	r := newReader(tail)
	if h.compressed(q) {
		r.EnableCompression()
	}
	var b block
	for {
		err := b.next(r, webRevision)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			if err = q.block(&b); err == nil {
				continue
			}
			return err
		}
		if _, ours := errors.AsType[*sdk.Error](err); ours && sdk.KindOf(err) != sdk.KindInternal {
			return err
		}
		// What the server says in the middle is no block. It ends the answer.
		_, drained := io.Copy(io.Discard, io.LimitReader(tail, tailBytes))
		if said := exceptionIn(tail.last); said != nil {
			return said
		}
		return errors.Join(err, drained)
	}
}

// readHeader makes an empty block of a text of names and types.
func readHeader(r io.Reader, q *query) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxColumns*64)
	var rows [2][]string
	for i := range rows {
		if !lines.Scan() {
			return errors.Join(errBlock(), lines.Err())
		}
		for cell := range strings.SplitSeq(lines.Text(), "\t") {
			p := typeParser{text: "'" + cell + "'"}
			name, _ := p.quoted('\'')
			rows[i] = append(rows[i], name)
		}
	}
	if len(rows[0]) != len(rows[1]) {
		return errBlock()
	}
	return q.block(&block{names: rows[0], types: rows[1], columns: make([]column, len(rows[0]))})
}

// tailReader keeps the last bytes that went through it.
type tailReader struct {
	r    io.Reader
	last []byte
}

func (t *tailReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.last = append(t.last, p[:n]...)
	if len(t.last) > 2*tailBytes {
		t.last = t.last[:copy(t.last, t.last[len(t.last)-tailBytes:])]
	}
	return n, err
}

// kill ends a query in the server, and waits for its end: closing the connection
// alone leaves it running.
func (h *web) kill(ctx context.Context, q *query) error {
	if q.id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sqlkit.SettleTime)
	defer cancel()
	end := &query{sql: "KILL QUERY WHERE query_id = '" + q.id + "' SYNC", settings: q.settings, block: func(*block) error { return nil }}
	response, err := h.post(ctx, end)
	if err != nil {
		return fmt.Errorf("ending query %s: %w", q.id, err)
	}
	defer drop(response)
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
