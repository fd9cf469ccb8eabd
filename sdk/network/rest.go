package network

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Repeatable returns a copy of a request that net/http may send again when an idle
// connection turns out to be dead; the service must know a repeated request by an id of
// the request's. rewrite may replace the body, and may be nil.
// Errors: those of the body and of rewrite.
func Repeatable(r *http.Request, rewrite func(body []byte) ([]byte, error)) (*http.Request, error) {
	r = r.Clone(r.Context())
	r.Header["Idempotency-Key"] = nil // net/http looks for the key and sends none
	var body []byte
	var err error
	if r.Body != nil {
		body, err = io.ReadAll(r.Body)
		err = errors.Join(err, r.Body.Close())
	}
	if err == nil && rewrite != nil {
		body, err = rewrite(body)
	}
	if err != nil || body == nil {
		return r, err
	}
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, err = r.GetBody()
	return r, err
}

// Body reads the body of an answer and leaves a copy for the next reader.
func Body(res *http.Response) ([]byte, error) {
	body, err := io.ReadAll(res.Body)
	err = errors.Join(err, res.Body.Close())
	res.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

// PostJSON sends a value as JSON and decodes an answer with status 200; answer may be nil.
// Shape: status is 0 without an answer.
// Errors: the transport's, as they are; those of JSON.
func PostJSON(ctx context.Context, over http.RoundTripper, address string, header http.Header, body, answer any) (status int, _ error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", "application/json")
	res, err := over.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	text, err = Body(res)
	if err == nil && answer != nil && res.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, answer)
	}
	return res.StatusCode, err
}

// Answered replaces an answer that says nothing about the request by an error. It takes
// and returns what http.RoundTripper returns.
// Errors: KindUnavailable for 5xx, 408, and a proxy's 407; KindRateLimited for 429.
func Answered(res *http.Response, err error) (*http.Response, error) {
	if err != nil {
		return nil, err
	}
	verdict := sqlkit.Verdict{}
	switch status := res.StatusCode; {
	case status == http.StatusTooManyRequests:
		verdict = sqlkit.Server(sdk.KindRateLimited, "try again later, or let fewer statements run at once")
	case status == http.StatusProxyAuthRequired: // without CONNECT, which NewTransport knows
		return nil, errors.Join(ProxyRefusal(proxyOf(res.Request)), res.Body.Close())
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		verdict = sqlkit.Server(sdk.KindUnavailable, "try again; if it stays so, check the service's status page")
	default:
		return res, nil
	}
	return nil, errors.Join(verdict.Error("", "the service answered "+res.Status, nil), res.Body.Close())
}

// proxyOf returns the proxy of a request, or the host that answers as if it were one.
func proxyOf(r *http.Request) *url.URL {
	if proxy, err := http.ProxyFromEnvironment(r); err == nil && proxy != nil {
		return proxy
	}
	return r.URL
}

// Settle sends a request about work that the service goes on with when nobody waits for
// it. At the end of the request's context, order tells the service to end the work, and
// is repeated until the request is answered, as [sqlkit.NewStopper] says.
// Errors: those of [Answered]; the context's, when the work has ended.
func Settle(over http.RoundTripper, r *http.Request, order func(context.Context) error) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stop := sqlkit.NewStopper(r.Context(), order, cancel)
	res, err := Answered(over.RoundTrip(r.WithContext(ctx)))
	stop.End()
	if err == nil && r.Context().Err() != nil { // nobody reads the answer
		err = errors.Join(r.Context().Err(), res.Body.Close())
	}
	if err != nil {
		cancel()
		return nil, err
	}
	unwatch := context.AfterFunc(r.Context(), cancel)
	res.Body = &settledBody{res.Body, func() { unwatch(); cancel() }}
	return res, nil
}

// settledBody ends the context of its request when it is closed.
type settledBody struct {
	io.ReadCloser
	done func()
}

func (b *settledBody) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
