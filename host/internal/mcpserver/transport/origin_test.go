package transport

import (
	"net/http"
	"testing"
)

// A page can only have the server's own origin when the server has sent it, which
// sends none: the header is that of a tool on this machine.
func TestOwnOrigin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, host, origin string
		want               bool
	}{
		{"the address itself", "127.0.0.1:7878", "http://127.0.0.1:7878", true},
		{"its name", "localhost:7878", "http://localhost:7878", true},
		{"its IPv6 address", "[::1]:7878", "http://[::1]:7878", true},
		{"the usual port", "localhost", "http://localhost:80", true},
		{"another port of this machine", "127.0.0.1:7878", "http://127.0.0.1:3000", false},
		{"another name of this machine", "127.0.0.1:7878", "http://localhost:7878", false},
		{"another scheme", "localhost:7878", "https://localhost:7878", false},
		{"a name that leads here", "evil.example.com:7878", "http://evil.example.com:7878", false},
		{"a name that begins like this machine's", "localhost.evil.example.com", "http://localhost.evil.example.com", false},
		{"a host that others reach", "loam.internal:7878", "http://loam.internal:7878", false},
		{"none", "127.0.0.1:7878", "null", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checked, err := newAccess(Access{AllowedHosts: []string{"loam.internal"}})
			if err != nil {
				t.Fatal(err)
			}
			r := &http.Request{Host: tt.host, Header: http.Header{"Origin": {tt.origin}}}
			if got := checked.allowsOrigin(r); got != tt.want {
				t.Errorf("allowsOrigin = %v, want %v", got, tt.want)
			}
		})
	}
}
