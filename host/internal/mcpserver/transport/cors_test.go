package transport

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
)

// A page of an allowed origin can do what a client does: ask whether it may,
// without the token that browsers do not send with that question; then open a
// session, read its id, call, and read why it was refused.
func TestPageOfAnAllowedOrigin(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	s := serve(t, Limits{}, Access{Token: sdk.NewSecret("s3cret"), AllowedOrigins: []string{page}})
	crossed := func(r reply) map[string]string {
		seen := map[string]string{}
		for name := range r.header {
			if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
				seen[name] = strings.Join(r.header.Values(name), "|")
			}
		}
		return seen
	}
	simple := map[string]string{"Access-Control-Allow-Origin": page, "Access-Control-Expose-Headers": crossExposed, "Vary": "Origin"}
	preflight := map[string]string{
		"Access-Control-Allow-Origin": page, "Access-Control-Expose-Headers": crossExposed, "Vary": "Origin",
		"Access-Control-Allow-Methods": crossMethods, "Access-Control-Allow-Headers": crossHeaders, "Access-Control-Max-Age": crossFor,
	}
	from := func(origin string, more ...string) []string { return append([]string{"Origin", origin}, more...) }
	token := []string{"Authorization", "Bearer s3cret"}
	tests := []struct {
		name, method, body string
		header             []string
		status             int
		want               map[string]string
	}{
		{"question", http.MethodOptions, "", from(page, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,mcp-param-x"), http.StatusNoContent, preflight},
		{"question of another origin", http.MethodOptions, "", from("https://evil.example.com", "Access-Control-Request-Method", "POST"), http.StatusForbidden, map[string]string{}},
		{"OPTIONS that is no question", http.MethodOptions, "", from(page), http.StatusUnauthorized, simple},
		{"call without a token", http.MethodPost, initialize, from(page), http.StatusUnauthorized, simple},
		{"call", http.MethodPost, initialize, from(page, token...), http.StatusOK, simple},
		{"call of another origin", http.MethodPost, initialize, from("https://evil.example.com", token...), http.StatusForbidden, map[string]string{}},
		{"call of no page", http.MethodPost, initialize, token, http.StatusOK, map[string]string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := do(t, tt.method, s.url, tt.body, tt.header...)
			if r.status != tt.status {
				t.Errorf("status %d, want %d: %s", r.status, tt.status, r.body)
			}
			if diff := cmp.Diff(tt.want, crossed(r)); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if tt.status == http.StatusOK && r.header.Get(server.HeaderKeySessionID) == "" {
				t.Error("no session")
			}
		})
	}
}
