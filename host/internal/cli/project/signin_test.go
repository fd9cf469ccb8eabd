package project

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// A sign-in may prompt again: both prompts are shown, and the time of the last one counts.
func TestSignInPromptsTwice(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	term := &terminal.Terminal{Err: &said}
	services := &Services{SignIn: func(ctx context.Context, _ connection.Connection, prompt func(sdk.Prompt) error) (sdk.Credentials, error) {
		for _, p := range []sdk.Prompt{
			{URL: "https://login.example/a", Code: "ONE", Expires: time.Now().Add(time.Hour)},
			{URL: "https://login.example/b\x1b[2J", Expires: time.Now().Add(time.Hour)},
			{URL: "https://login.example/c", Code: "\x1b[2JTWO", Expires: time.Unix(0, 0)},
		} {
			if err := prompt(p); err != nil && strings.HasSuffix(p.URL, "J") {
				continue // no address has such a character
			} else if err != nil {
				return sdk.Credentials{}, err
			}
		}
		<-ctx.Done()
		return sdk.Credentials{}, ctx.Err()
	}}
	_, err := newSignIn(term, false).run(t.Context(), services, connection.Connection{ID: "w"})
	if sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("the sign-in ended with %v", err)
	}
	for _, want := range []string{"https://login.example/a\n", "ONE\n", "https://login.example/c\n", `\x1b[2JTWO`, "1970-01-01 00:00 UTC"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not shown:\n%s", want, said.String())
		}
	}
	if strings.Contains(said.String(), "\x1b") || strings.Contains(said.String(), "example/b") {
		t.Errorf("%q is shown", said.String())
	}
}

// Only addresses of pages are shown and opened.
func TestWebAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://login.example/device?code=a": true, "http://localhost:8080/": true,
		"": false, "file:///etc/passwd": false, "javascript:alert(1)": false, "https://": false, "-https://a": false, "https://user:pw@login.example": false,
	} {
		if terminal.IsWebAddress(address) != want {
			t.Errorf("%q: want %v", address, want)
		}
	}
}
