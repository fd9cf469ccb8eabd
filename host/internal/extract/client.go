package extract

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxBody bounds an answer, in bytes: a hundred statements have 50 KiB.
	maxBody = 1 << 20
	// maxRepeats bounds the repetitions of a call after status 429 or 5xx.
	maxRepeats = 2
	// maxRedirects bounds the redirects of a call. Redirects to another server are errors.
	maxRedirects = 3
)

// client calls the API of one model.
type client struct {
	model Model
	api   api
	http  *http.Client
	wait  func(ctx context.Context, d time.Duration) error
	now   func() time.Time
}

// api is the request and response format of a kind of API.
type api interface {
	// path is appended to the base URL of the model.
	path() string
	headers(key sdk.Secret, h http.Header)
	// body returns the request; plain means without response_format, because the server refused it.
	body(m Model, p prompt, plain bool) any
	// read returns the answer in a response, and the tokens used; 0 = unknown.
	read(body []byte, plain bool) (answer []byte, tokens int64, err error)
}

var apis = map[string]api{OpenAI: openAI{}, Anthropic: anthropic{}}

var errElsewhere = errors.New("redirect to another server")

func newClient(m Model, wait func(context.Context, time.Duration) error, now func() time.Time) *client {
	return &client{
		model: m, api: apis[m.Kind], wait: wait, now: now,
		http: &http.Client{
			Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true},
			CheckRedirect: func(next *http.Request, via []*http.Request) error {
				if first := via[0].URL; next.URL.Scheme != first.Scheme || next.URL.Host != first.Host || len(via) > maxRedirects {
					return errElsewhere
				}
				return nil
			},
		},
	}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// ask returns the model's answer about a part, and the tokens used; 0 = unknown.
// Errors: KindUnavailable, KindTimeout; those of ctx.
func (c *client) ask(ctx context.Context, p prompt) (answer []byte, used int64, err error) {
	limit := cmp.Or(c.model.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	plain := false
	for repeats := 0; ; {
		status, header, body, err := c.post(ctx, c.api.body(c.model, p, plain))
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return nil, 0, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the model did not answer within %v", limit).WithHint("raise memory.llm.timeout in loam.yaml, or ingest it again later")
		case ctx.Err() != nil:
			return nil, 0, ctx.Err()
		case err != nil:
			return nil, 0, err
		case status == http.StatusOK:
			return c.api.read(body, plain)
		case status == http.StatusBadRequest && !plain && c.model.Kind == OpenAI && bytes.Contains(body, []byte("response_format")):
			plain = true
		case (status == http.StatusTooManyRequests || status >= 500) && repeats < maxRepeats:
			pause := c.pause(header, repeats)
			if at, ok := ctx.Deadline(); ok && pause > time.Until(at) {
				return nil, 0, refused(status, body)
			}
			if err := c.wait(ctx, pause); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return nil, 0, err
			}
			repeats++
		default:
			return nil, 0, refused(status, body)
		}
	}
}

// pause returns the time to wait before a repetition: that of Retry-After, else one second, then two.
func (c *client) pause(h http.Header, repeats int) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 1<<20 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(c.now()))
	}
	return time.Duration(repeats+1) * time.Second
}

// post sends one request and reads the answer.
func (c *client) post(ctx context.Context, content any) (status int, h http.Header, body []byte, err error) {
	text, err := json.Marshal(content)
	if err != nil {
		return 0, nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.model.BaseURL+c.api.path(), bytes.NewReader(text))
	if err != nil {
		return 0, nil, nil, useless("the address of the model is none", "correct memory.llm.base_url in loam.yaml")
	}
	r.Header.Set("Content-Type", "application/json")
	c.api.headers(c.model.Key, r.Header)
	answer, err := c.http.Do(r)
	switch {
	case errors.Is(err, errElsewhere):
		return 0, nil, nil, useless("the model's server redirects to another one, to which nothing was sent", "correct memory.llm.base_url in loam.yaml")
	case err != nil: // err has only the URL and a network error; the hint names the setting
		return 0, nil, nil, useless("the model's server cannot be reached", "see whether it runs and memory.llm.base_url in loam.yaml is right")
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	body, err = io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case err != nil:
		return 0, nil, nil, useless("the model's answer broke off", "ingest it again later")
	case len(body) > maxBody:
		return 0, nil, nil, useless(fmt.Sprintf("the model's answer has more than %d KiB", maxBody>>10), "try another model in memory.llm.model")
	}
	return answer.StatusCode, answer.Header, body, nil
}

// code matches the error codes of the APIs. Other text of a server is not repeated, because an agent reads the error.
var code = text.Pattern(`^[a-z_]{1,60}$`)

// refused returns the error for a status other than 200.
func refused(status int, body []byte) error {
	var said struct {
		Error struct {
			Type string `json:"type"`
			Code any    `json:"code"`
		} `json:"error"`
	}
	what := ""
	if json.Unmarshal(body, &said) == nil {
		if text, _ := said.Error.Code.(string); code().MatchString(text) {
			what = " (" + text + ")"
		} else if code().MatchString(said.Error.Type) {
			what = " (" + said.Error.Type + ")"
		}
	}
	hint := "see whether kind, base_url and model below memory.llm in loam.yaml are right"
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		hint = "see whether memory.llm.api_key in loam.yaml is right"
	case status == http.StatusTooManyRequests || status >= 500:
		hint = "ingest it again later"
	}
	return useless(fmt.Sprintf("the model's server answered with status %d%s", status, what), hint)
}
