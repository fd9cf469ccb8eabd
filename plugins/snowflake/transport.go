package snowflake

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
)

// Paths of the service.
const (
	queryPath = "/queries/v1/query-request"
	abortPath = "/queries/v1/abort-request"
	loginPath = "/session/v1/login-request"
)

// posted are the paths that the driver may post to. The telemetry's is none.
var posted = []string{queryPath, abortPath, loginPath, "/session", "/session/token-request", "/session/authenticator-request", "/session/heartbeat"}

// order is a statement that a call may send, in the context of the driver's call. A
// statement without an order is not sent.
type order struct {
	sql      string
	own      bool // the connector's own statement, whatever its text
	describe bool // the service compiles it and runs nothing
	reals    map[string]string
	// started is called when the service answered that the statement runs, or ran.
	started func()

	requestID string
	verdict   verdict
}

// verdict is what the service says of a statement that it only described. The driver
// reads the type and has no way to ask for it.
type verdict struct {
	StatementTypeID int64 `json:"statementTypeId"`
	NumberOfBinds   *int  `json:"numberOfBinds"`
}

type orderKey struct{}

func (o *order) in(ctx context.Context) context.Context { return context.WithValue(ctx, orderKey{}, o) }

func orderOf(ctx context.Context) *order {
	o, _ := ctx.Value(orderKey{}).(*order)
	return o
}

// transport is between the driver and the service: it lets no statement pass that was
// not ordered, reads the verdict, and ends in the service what a call no longer waits for.
type transport struct {
	base http.RoundTripper
	// skew is what the answer to the last login says of this machine's clock.
	skew atomic.Value // string
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	path := req.URL.Path
	switch {
	case path == queryPath:
		return t.statement(req)
	case path == abortPath: // of the driver, after t.settled has aborted the statement
		return reply(req, `{"success":true}`), nil
	case strings.HasPrefix(path, "/queries/") && strings.HasSuffix(path, "/result") && orderOf(req.Context()) != nil:
		o := orderOf(req.Context())
		if o.started != nil {
			o.started()
		}
		return o.read(t.settled(req))
	case path == loginPath:
		res, err := network.Answered(t.base.RoundTrip(req))
		if err == nil {
			t.skew.Store(network.Skew(res.Header))
		}
		return res, err
	case req.Method == http.MethodPost && !slices.Contains(posted, path):
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the driver posts to %s, which is not of a statement", path)
	default:
		return network.Answered(t.base.RoundTrip(req))
	}
}

// statement sends a statement that was ordered. It goes by its requestId.
func (t *transport) statement(req *http.Request) (*http.Response, error) {
	o := orderOf(req.Context())
	req, err := network.Repeatable(req, func(raw []byte) ([]byte, error) {
		var body struct {
			SQLText      string `json:"sqlText"`
			DescribeOnly bool   `json:"describeOnly"`
		}
		if err := json.Unmarshal(raw, &body); err != nil {
			return nil, err
		}
		if o == nil || o.describe != body.DescribeOnly || !o.own && o.sql != body.SQLText {
			return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a statement was not sent, because the service has not examined it")
		}
		return o.bind(raw)
	})
	if err != nil {
		return nil, err
	}
	o.requestID = req.URL.Query().Get("requestId")
	return o.read(t.settled(req))
}

// read reads the verdict from the answer to a statement that was only described.
func (o *order) read(res *http.Response, err error) (*http.Response, error) {
	if err != nil || !o.describe {
		return res, err
	}
	answer, err := network.Body(res)
	if err != nil {
		return nil, err
	}
	var described struct{ Data verdict }
	if err := json.Unmarshal(answer, &described); err == nil { // the driver says what is wrong with another answer
		o.verdict = described.Data
	}
	return res, nil
}

// bind writes the doubles among the parameters with all their digits: the driver
// writes those of a single.
func (o *order) bind(raw []byte) ([]byte, error) {
	if len(o.reals) == 0 {
		return raw, nil
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	var bindings map[string]map[string]any
	if err := json.Unmarshal(body["bindings"], &bindings); err != nil {
		return nil, err
	}
	for position, text := range o.reals {
		bindings[position]["value"] = text
	}
	var err error
	if body["bindings"], err = json.Marshal(bindings); err != nil {
		return nil, err
	}
	return json.Marshal(body)
}

// settled sends a request about a statement and has the service abort the statement
// when the call ends.
func (t *transport) settled(req *http.Request) (*http.Response, error) {
	return network.Settle(t.base, req, func(ctx context.Context) error { return t.abort(ctx, req) })
}

// abort tells the service once to end the statement of a request.
func (t *transport) abort(ctx context.Context, req *http.Request) error {
	to := *req.URL
	to.Path, to.RawQuery = abortPath, url.Values{"requestId": {gosnowflake.NewUUID().String()}, "request_guid": {gosnowflake.NewUUID().String()}}.Encode()
	_, err := network.PostJSON(ctx, t.base, to.String(), req.Header, map[string]string{"requestId": orderOf(req.Context()).requestID}, nil)
	return err
}

// reply is an answer that the service was not asked for.
func reply(req *http.Request, text string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req,
	}
}

// newTransport returns a transport of its own for each session: connections are
// closed with it. Go verifies certificates; the driver's OCSP is not asked.
func newTransport() *transport {
	base := network.NewTransport()
	base.MaxIdleConnsPerHost = idleConns
	base.IdleConnTimeout = time.Minute
	return &transport{base: base}
}

const idleConns = 4
