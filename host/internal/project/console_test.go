package project

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestConsole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       Console
		problem    string
	}{
		{name: "absent", text: ""},
		{name: "nothing", text: "console: {}"},
		{name: "empty", text: "console:"},
		{
			name: "all", text: "console: {enabled: true, token: 'env:LOAM_CONSOLE_TOKEN', reader_token: 'file:/run/secrets/reader', reader_query: true, idle: 1h}",
			want: Console{Token: "env:LOAM_CONSOLE_TOKEN", ReaderToken: "file:/run/secrets/reader", ReaderQuery: true, Idle: time.Hour},
		},
		{name: "off", text: "console: {enabled: false}", want: Console{Off: true}},
		{name: "key ring", text: "console: {token: 'keyring:console'}", want: Console{Token: "keyring:console"}},
		{name: "readers alone", text: "console: {reader_token: 'env:R'}", problem: "console.reader_token: needs token"},
		{name: "shortest", text: "console: {idle: 5m}", want: Console{Idle: 5 * time.Minute}},
		{name: "longest", text: "console: {idle: 7d}", want: Console{Idle: 7 * 24 * time.Hour}},
		{name: "too short", text: "console: {idle: 4m59s}", problem: "console.idle: must be at least 5m"},
		{name: "too long", text: "console: {idle: 169h}", problem: "console.idle: must be a time above 0 and up to 7d"},
		{name: "no time", text: "console: {idle: ever}", problem: "console.idle: must be a time"},
		{name: "a token", text: "console: {token: hunter2}", problem: "console.token: must be a reference to a secret"},
		{name: "a list", text: "console: {token: [hunter2]}", problem: "console.token: must be a reference to a secret"},
		{name: "an empty reference", text: "console: {token: 'env:'}", problem: "console.token: must be a reference to a secret"},
		{name: "a reader's token", text: "console: {token: 'env:A', reader_token: hunter2}", problem: "console.reader_token: must be a reference to a secret"},
		{name: "a program", text: "console: {token: 'cmd:pass hunter2'}", problem: "console.token: must be env:NAME, keyring:NAME or file:path"},
		{name: "the same secret", text: "console: {token: 'env:A', reader_token: 'env:A'}", problem: "console.reader_token: must refer to another secret"},
		{name: "no bool", text: "console: {enabled: perhaps}", problem: "console.enabled: must be true or false"},
		{name: "no mapping", text: "console: true", problem: "console: must be a mapping"},
		{name: "unknown", text: "console: {tokn: 'env:A'}", problem: `console.tokn: unknown key; did you mean "token"?`},
		{name: "all at once", text: "console: {enabled: 1, token: x, reader_query: 2, idle: 1s}", problem: "has 4 problems"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := parse(t.TempDir(), []byte("version: 1\n"+tt.text+"\n"))
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "2") {
					t.Fatalf("%v, want %q", err, tt.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, p.Console); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConsoleLogin(t *testing.T) {
	t.Parallel()
	token := Console{Token: "env:A"}
	for _, tt := range []struct {
		settings Console
		host     string
		want     ConsoleLogin
	}{
		{Console{}, "127.0.0.1", ConsoleCode},
		{Console{}, "::1", ConsoleCode},
		{Console{}, "localhost", ConsoleCode},
		{Console{}, "0.0.0.0", ConsoleClosed},
		{Console{}, "loam.internal", ConsoleClosed},
		{token, "127.0.0.1", ConsoleToken},
		{token, "0.0.0.0", ConsoleToken},
		{Console{Off: true}, "127.0.0.1", ConsoleClosed},
		{Console{Off: true, Token: "env:A"}, "127.0.0.1", ConsoleClosed},
	} {
		if got := tt.settings.LoginAt(tt.host); got != tt.want {
			t.Errorf("%+v at %s: %q, want %q", tt.settings, tt.host, got, tt.want)
		}
	}
}

func TestCheckConsoleTokens(t *testing.T) {
	t.Parallel()
	const a, b, c = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc"
	for _, tt := range []struct{ name, reviewer, reader, server, problem string }{
		{"none", "", "", "", ""},
		{"none beside the server's", "", "", "x", ""},
		{"all", a, b, c, ""},
		{"no reader", a, "", "", ""},
		{"short", a[1:], "", "", "console.token is shorter than 16"},
		{"short reader", a, b[1:], "", "console.reader_token is shorter than 16"},
		{"the server's", a, "", a, "console.token is the token of the MCP server"},
		{"the server's for readers", a, b, b, "console.reader_token is the token of the MCP server"},
		{"the same", a, a, "", "are the same"},
	} {
		err := CheckConsoleTokens(sdk.NewSecret(tt.reviewer), sdk.NewSecret(tt.reader), sdk.NewSecret(tt.server))
		switch {
		case tt.problem == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem) || strings.Contains(err.Error(), "aaa") || sdk.KindOf(err) != sdk.KindInvalid):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.problem)
		}
	}
}
