package transport

import (
	"log/slog"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestHostName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header, want string
		ok           bool
	}{
		{"localhost", "localhost", true},
		{"LOCALHOST:7878", "localhost", true},
		{"localhost.", "localhost", true},
		{"127.0.0.1:80", "127.0.0.1", true},
		{"[::1]", "::1", true},
		{"[::1]:7878", "::1", true},
		{"::1", "::1", true},
		{"[0:0:0:0:0:0:0:1]:1", "::1", true},
		{"Loam.Internal:443", "loam.internal", true},
		{"", "", false},
		{":7878", "", false},
		{"[::1", "", false},
		{"localhost:evil", "", false},
		{"localhost:99999", "", false},
		{"evil.com#localhost", "", false},
		{"localhost@evil.com", "", false},
		{"localhost/x", "", false},
		{"a b", "", false},
		{"127.0.0.1.", "127.0.0.1", true},
		{"localhost..", "localhost.", true}, // another name
		{"[::1%lo]", "::1%lo", true},        // another address
		{"[::1%25lo]:80", "::1%25lo", true},
		{"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", true},
		{"localhost%00", "", false},
		{"localhost:", "", false},
		{"localhost:-1", "", false},
		{"localhost:+80", "", false},
		{"localhost:80:80", "", false},
		{"user@localhost", "", false},
		{"user:pass@localhost:80", "", false},
		{"[localhost]", "", false},
		{"[localhost]:80", "", false},
		{"[127.0.0.1]", "", false},
		{"[::1]:", "", false},
		{"[::1]x", "", false},
		{"[[::1]]", "", false},
		{"::1]", "", false},
		{"[]", "", false},
		{".", "", false},
		{"127.1", "127.1", true}, // another name, though resolvers take it for loopback
		{"2130706433", "2130706433", true},
		{"localhost\t", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.header, func(t *testing.T) {
			t.Parallel()
			if got, ok := hostName(tt.header); got != tt.want || ok != tt.ok {
				t.Errorf("hostName = %q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestOriginName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header, want string
		ok           bool
	}{
		{"https://App.Example.com", "https://app.example.com", true},
		{"https://app.example.com:443", "https://app.example.com", true},
		{"http://app.example.com:80", "http://app.example.com", true},
		{"http://app.example.com:443", "http://app.example.com:443", true},
		{"http://localhost:3000", "http://localhost:3000", true},
		{"http://[::1]:3000", "http://[::1]:3000", true},
		{"null", "", false},
		{"app.example.com", "", false},
		{"https://app.example.com/", "", false},
		{"https://user@app.example.com", "", false},
		{"https://app.example.com?x", "", false},
		{"https://", "", false},
		{"https://a b", "", false},
		{"", "", false},
		{"*", "", false},
		{"https://*", "https://*", true}, // no pattern: no origin is it
		{"HTTPS://APP.EXAMPLE.COM", "https://app.example.com", true},
		{"https://app.example.com.", "https://app.example.com.", true}, // another origin
		{"https://app.example.com#", "", false},
		{"https://app.example.com#x", "", false},
		{"https://app.example.com:", "", false},
		{"https://app.example.com:443:443", "", false},
		{"https://app.example.com:99999", "", false},
		{"https://app.example.com\\@evil.com", "", false},
		{"https://[fe80::1%25eth0]:3000", "https://[fe80::1%eth0]:3000", true},
		{"https://[localhost]", "", false},
		{"https:app.example.com", "", false},
		{"//app.example.com", "", false},
		{"https://app.example.com https://evil.com", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.header, func(t *testing.T) {
			t.Parallel()
			if got, ok := originName(tt.header); got != tt.want || ok != tt.ok {
				t.Errorf("originName = %q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestAccessIsCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	token := sdk.NewSecret("t0ken")
	tests := []struct {
		name   string
		access Access
		ok     bool
	}{
		{"nothing said", Access{}, true},
		{"loopback", Access{Host: "127.0.0.1"}, true},
		{"another loopback address", Access{Host: "127.3.2.1"}, true},
		{"loopback IPv6", Access{Host: "::1"}, true},
		{"localhost", Access{Host: "localhost"}, true},
		{"everywhere without a token", Access{Host: "0.0.0.0"}, false},
		{"everywhere IPv6 without a token", Access{Host: "::"}, false},
		{"a name without a token", Access{Host: "loam.internal"}, false},
		{"a name like localhost without a token", Access{Host: "localhost.evil.com"}, false},
		{"everywhere with a token", Access{Host: "0.0.0.0", Token: token}, true},
		{"a host that is a URL", Access{AllowedHosts: []string{"http://loam"}}, false},
		{"an origin with a path", Access{AllowedOrigins: []string{"https://loam/x"}}, false},
		{"an origin without a scheme", Access{AllowedOrigins: []string{"loam"}}, false},
		{"a token with a space at its end", Access{Token: sdk.NewSecret("t0ken ")}, false},
		{"a token with a line end", Access{Token: sdk.NewSecret("t0ken\n")}, false},
		{"a token beyond ASCII", Access{Token: sdk.NewSecret("tökén")}, false},
		{"a token of spaces", Access{Host: "0.0.0.0", Token: sdk.NewSecret("  ")}, false},
		{"a host and an origin", Access{AllowedHosts: []string{"loam.internal:80"}, AllowedOrigins: []string{"https://loam"}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := NewHTTP(Config{Library: newFixture().library, Logger: slog.New(slog.DiscardHandler)}, tt.access, "1")
			if tt.ok != (err == nil) {
				t.Fatalf("err = %v", err)
			}
			if e := sdk.AsError(err, sdk.SourceHost); e != nil && (e.Kind != sdk.KindInvalid || e.Hint == "") {
				t.Errorf("kind %s, hint %q", e.Kind, e.Hint)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.7:4711":              "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:4711": "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::1]:99":   "2001:db8:1:2::/64",
		"[fe80::1%eth0]:99":           "fe80::/64",
		"[::1]:99":                    "::/64",
		"[::ffff:192.0.2.7]:99":       "::ffff:192.0.2.7",
		"@":                           "@",
	} {
		if got := nobody.place(remote); got != want {
			t.Errorf("%s is %q, want %q", remote, got, want)
		}
	}
}
