package transport

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestResponse(t *testing.T) {
	t.Parallel()
	const first = "event: message\ndata: {\"a\":1}\n\n"
	emit := func(t *testing.T, w *response, want error) {
		t.Helper()
		if err := w.emit([]byte(`{"a":1}`)); !errors.Is(err, want) {
			t.Errorf("emit: %v, want %v", err, want)
		}
	}
	header := func(w *response, typ string) {
		w.Header().Set("Content-Type", typ)
		w.WriteHeader(http.StatusOK)
	}
	tests := []struct {
		name, accept string
		do           func(t *testing.T, w *response)
		typ, body    string
	}{
		{"JSON", "", func(_ *testing.T, w *response) {
			header(w, "application/json")
			_, _ = io.WriteString(w, "{}\n")
		}, "application/json", "{}\n"},
		{"JSON after a message", "application/json, text/event-stream", func(t *testing.T, w *response) {
			emit(t, w, nil)
			header(w, "application/json")
			_, _ = io.WriteString(w, "{}\n")
		}, eventStream, first + "event: message\ndata: {}\n\n"},
		{"JSON in two parts after a message", "*/*", func(t *testing.T, w *response) {
			emit(t, w, nil)
			header(w, "application/json")
			_, _ = io.WriteString(w, `{"b":`)
			_, _ = io.WriteString(w, "2}\n")
		}, eventStream, first + "event: message\ndata: {\"b\":2}\n\n"},
		{"events of the library after a message", "", func(t *testing.T, w *response) {
			emit(t, w, nil)
			header(w, eventStream)
			_, _ = io.WriteString(w, "event: message\ndata: {}\n\n")
			emit(t, w, nil)
		}, eventStream, first + "event: message\ndata: {}\n\n" + first},
		{"message after the answer began", "", func(t *testing.T, w *response) {
			header(w, "application/json")
			emit(t, w, errNotStreaming)
			_, _ = io.WriteString(w, "{}")
			emit(t, w, errNotStreaming)
		}, "application/json", "{}"},
		{"message into the last event", "", func(t *testing.T, w *response) {
			emit(t, w, nil)
			header(w, "application/json")
			emit(t, w, errNotStreaming)
			_, _ = io.WriteString(w, "{}")
		}, eventStream, first + "event: message\ndata: {}\n\n"},
		{"message to a client that takes no stream", "application/json", func(t *testing.T, w *response) {
			emit(t, w, errNotStreaming)
			header(w, "application/json")
		}, "application/json", ""},
		{"message after the end", "", func(t *testing.T, w *response) {
			emit(t, w, nil)
			w.finish()
			emit(t, w, errNotStreaming)
		}, eventStream, first},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Endpoint, nil)
			if tt.accept != "" {
				r.Header.Set("Accept", tt.accept)
			}
			recorder := httptest.NewRecorder()
			w := newResponse(recorder, r, time.Second, nil)
			tt.do(t, w)
			w.finish()
			if got := recorder.Result().Header.Get("Content-Type"); got != tt.typ {
				t.Errorf("Content-Type %q, want %q", got, tt.typ)
			}
			if got := recorder.Body.String(); got != tt.body {
				t.Errorf("body %q, want %q", got, tt.body)
			}
		})
	}
}
