package registry

import (
	"net/url"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// A registry that is reached by TLS leads nobody out of it, be it for a token or for an upload.
func TestAddressesOfARegistry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plain bool
		to    string
		kind  sdk.Kind
	}{
		{false, "https://auth.example/token", ""},
		{false, "http://127.0.0.1/token", sdk.KindDenied},
		{false, "ftp://r.example/token", sdk.KindDenied},
		{true, "http://127.0.0.1/token", ""},
		{true, "https://auth.example/token", ""},
	} {
		to, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		m := Registries{Plain: func(string) bool { return c.plain }}.remote(Reference{Registry: "r.example", Repository: "a", Version: "1"})
		if err := m.follows(to); sdk.KindOf(err) != c.kind {
			t.Errorf("plain %v, %s: %v", c.plain, c.to, err)
		}
	}
}
