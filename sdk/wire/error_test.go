package wire

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/loam-data/loam/sdk"
)

// trailers returns how many bytes an error's trailers take on the wire.
func trailers(t testing.TB, err error) int {
	t.Helper()
	s := status.Convert(err)
	raw, err := proto.Marshal(s.Proto())
	if err != nil {
		t.Fatal(err)
	}
	size := len("grpc-status-details-bin") + base64.RawStdEncoding.EncodedLen(len(raw)) + len("grpc-message") + len("grpc-status16")
	for _, b := range []byte(s.Message()) {
		if b >= ' ' && b <= '~' && b != '%' {
			size++
		} else {
			size += 3 // percent-encoded
		}
	}
	return size
}

func FuzzStatusStaysSmall(f *testing.F) {
	f.Add("syntax error", "did you mean", "42P01", 3)
	f.Add(strings.Repeat("日", 9000), strings.Repeat("\xff", 9000), strings.Repeat("x", 9000), 500)
	f.Fuzz(func(t *testing.T, msg, hint, code string, candidates int) {
		e := &sdk.Error{
			Kind: sdk.KindSyntax, Source: sdk.SourceWarehouse, Op: hint, Msg: msg, Hint: hint, Code: code, QueryID: code,
			Pos: sdk.Position{Line: 1 << 30, Column: 1 << 30}, Retry: true, RetryAfter: time.Hour,
		}
		for range min(max(candidates, 0), 1000) {
			e.Candidates = append(e.Candidates, msg)
		}
		err := encodeError(e)
		if n := trailers(t, err); n >= 4096 {
			t.Errorf("the trailers take %d bytes", n)
		}
		got := sdk.AsError(NewClient(nil, nil).failure(t.Context(), err), sdk.SourceHost)
		if got.Kind != sdk.KindSyntax || !utf8.ValidString(got.Msg) || !utf8.ValidString(got.Hint) {
			t.Errorf("got %#v", got)
		}
		if whole := text(msg); len(whole) < 512 && got.Msg != whole {
			t.Errorf("a message of %d bytes was cut to %q", len(whole), got.Msg)
		}
	})
}

func TestEveryKindSurvives(t *testing.T) {
	t.Parallel()
	for _, kind := range sdk.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			sent := &sdk.Error{Kind: kind, Source: sdk.SourceWarehouse, Op: "run query", Msg: "no", Hint: "do", Code: "42", Pos: sdk.Position{Line: 2, Column: 7}}
			encoded := encodeError(fmt.Errorf("somewhere: %w", sent))
			if code := status.Code(encoded); code == codes.OK || code == codes.Unknown {
				t.Errorf("kind %s has the gRPC code %s", kind, code)
			}
			if diff := cmp.Diff(sent, NewClient(nil, nil).failure(t.Context(), encoded), same); diff != "" {
				t.Errorf("(-sent +got):\n%s", diff)
			}
			if got := ErrorCode(encoded); got != "42" {
				t.Errorf("ErrorCode = %q", got)
			}
		})
	}
}

func TestErrorsOfNoKind(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithTimeout(t.Context(), -1)
	defer cancelLate()
	stalled, cancelStalled := context.WithCancelCause(t.Context())
	cancelStalled(&sdk.Error{Kind: sdk.KindUnavailable, Source: sdk.SourceConnector, Retry: true})

	for _, tc := range []struct {
		name   string
		ctx    context.Context
		err    error
		kind   sdk.Kind
		source sdk.Source
		retry  bool
	}{
		{"unknown error", t.Context(), encodeError(errors.New("boom")), sdk.KindInternal, sdk.SourceConnector, false},
		{"context canceled", t.Context(), encodeError(context.Canceled), sdk.KindCanceled, sdk.SourceCaller, false},
		{"deadline", t.Context(), encodeError(context.DeadlineExceeded), sdk.KindTimeout, sdk.SourceCaller, true},
		{"process died", t.Context(), status.Error(codes.Unavailable, "error reading from server: EOF"), sdk.KindUnavailable, sdk.SourceConnector, true},
		{"connection closed here", t.Context(), status.Error(codes.Canceled, "grpc: the client connection is closing"), sdk.KindUnavailable, sdk.SourceConnector, true},
		{"caller canceled", gone, status.Error(codes.Canceled, "context canceled"), sdk.KindCanceled, sdk.SourceCaller, false},
		{"caller's deadline", late, status.Error(codes.DeadlineExceeded, "context deadline exceeded"), sdk.KindTimeout, sdk.SourceCaller, true},
		{"our own reason", stalled, status.Error(codes.Canceled, "context canceled"), sdk.KindUnavailable, sdk.SourceConnector, true},
		{"absent rpc", t.Context(), status.Error(codes.Unimplemented, "unknown method"), sdk.KindUnsupported, sdk.SourceConnector, false},
		{"message too large", t.Context(), status.Error(codes.ResourceExhausted, "received message larger than max"), sdk.KindLimit, sdk.SourceConnector, false},
		{"no explanation", t.Context(), status.Error(codes.Unknown, "Exception calling application"), sdk.KindInternal, sdk.SourceConnector, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := sdk.AsError(NewClient(nil, nil).failure(tc.ctx, tc.err), sdk.SourceHost)
			if got.Kind != tc.kind || got.Source != tc.source || got.Retry != tc.retry {
				t.Errorf("got %s/%s/retry %t, want %s/%s/retry %t", got.Kind, got.Source, got.Retry, tc.kind, tc.source, tc.retry)
			}
		})
	}
}

func TestCutKeepsRunesWhole(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		given string
		limit int
		want  string
	}{
		{"short", 10, "short"},
		{"日本語日本語", 10, "日本…"},
		{"日本語", 3, "…"},
		{"日本語", 2, ""},
		{"a\xffb", 10, "a\uFFFDb"},
	} {
		if got := cut(tc.given, tc.limit); got != tc.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tc.given, tc.limit, got, tc.want)
		}
	}
}

func TestScrubber(t *testing.T) {
	t.Parallel()
	var s Scrubber
	s.Add(sdk.Config{Secrets: map[string]sdk.Secret{
		"password": sdk.NewSecret("p@ss/w:rd\n"), "short": sdk.NewSecret("abc"), "none": sdk.NewSecret(""), "quoted": sdk.NewSecret(`say "x"`),
	}})
	for _, tc := range []struct{ name, given, want string }{
		{"as it is", "dial p@ss/w:rd failed", "dial [redacted] failed"},
		{"in a URL", "postgres://me:p%40ss%2Fw%3Ard@host", "postgres://me:[redacted]@host"},
		{"in a path", "/v1/p@ss%2Fw:rd/x", "/v1/[redacted]/x"},
		{"in JSON", `{"secret":"say \"x\""}`, `{"secret":"[redacted]"}`},
		{"short and alone", "secret 'abc', abc", "secret '[redacted]', [redacted]"},
		{"short inside a word", "abcdef xabc", "abcdef xabc"},
		{"nothing", "harmless", "harmless"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := s.Scrub(tc.given); got != tc.want {
				t.Errorf("Scrub(%q) = %q, want %q", tc.given, got, tc.want)
			}
		})
	}
}

func TestScrubbedErrorKeepsNothingOfTheSecret(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	var s Scrubber
	s.Add(sdk.Config{Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(secret)}})
	dirty := &sdk.Error{
		Op: secret, Msg: secret, Hint: secret, Code: secret, QueryID: secret, Candidates: []string{secret}, Err: errors.New(secret),
	}
	clean := s.Error(dirty)
	if got := fmt.Sprintf("%#v %v", clean, clean); strings.Contains(got, secret) {
		t.Errorf("the secret is in %s", got)
	}
	if clean := s.Error(&sdk.Error{Err: errors.New("driver: " + secret)}); clean.Msg != "driver: [redacted]" {
		t.Errorf("the message of a wrapped error became %q", clean.Msg)
	}
	if s.Error(nil) != nil {
		t.Error("nil became an error")
	}
}
