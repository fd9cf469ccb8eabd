package transport

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkStdio is a call over pipes, without a tool's work.
func BenchmarkStdio(b *testing.B) {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- ServeStdio(context.Background(), newFixture().config(Limits{}), serverIn, serverOut) }()
	lines := bufio.NewReader(out)
	message := call(1, "echo", `{"text":"hi"}`, "") + "\n"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.WriteString(in, message); err != nil {
			b.Fatal(err)
		}
		if _, err := lines.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	_ = in.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// BenchmarkHTTP is a call of each era without a connection, so that what is
// measured is the server.
func BenchmarkHTTP(b *testing.B) {
	c := newFixture().config(Limits{})
	c.Logger = slog.New(slog.DiscardHandler)
	h, err := NewHTTP(c, Access{}, "1")
	if err != nil {
		b.Fatal(err)
	}
	serve := func(body string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://localhost"+Endpoint, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	id := serve(initialize).Header().Get("Mcp-Session-Id")
	eras := map[string]struct {
		meta   string
		header []string
	}{
		"legacy": {"", []string{"Mcp-Session-Id", id}},
		"modern": {modernMeta, modernHeader("echo")},
	}
	for name, era := range eras {
		b.Run(name, func(b *testing.B) {
			body := call(1, "echo", `{"text":"hi"}`, era.meta)
			b.ReportAllocs()
			for b.Loop() {
				if w := serve(body, era.header...); w.Code != http.StatusOK {
					b.Fatalf("%d: %s", w.Code, w.Body)
				}
			}
		})
	}
}
