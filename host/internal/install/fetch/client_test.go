package fetch

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestBeside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base            Location
		reference, want string
	}{
		"of an address":           {"https://a.example/x/index.json", "foodb/1.tar.gz", "https://a.example/x/foodb/1.tar.gz"},
		"on another host":         {"https://a.example/index.json", "https://b.example/1.tar.gz", "https://b.example/1.tar.gz"},
		"of another scheme":       {"https://a.example/index.json", "http://127.0.0.1/1.tar.gz", ""},
		"of a file":               {"https://a.example/index.json", "file:///etc/passwd", ""},
		"with a password":         {"https://a.example/index.json", "https://u:p@a.example/1.tar.gz", ""},
		"in a folder":             {"/mirror/index.json", "foodb/1.tar.gz", "/mirror/foodb/1.tar.gz"},
		"above a folder":          {"/mirror/index.json", "../1.tar.gz", ""},
		"absolute":                {"/mirror/index.json", "/etc/passwd", ""},
		"an address of a folder":  {"/mirror/index.json", "https://a.example/../../etc", ""},
		"with another separator":  {"/mirror/index.json", `..\1.tar.gz`, ""},
		"plain beyond loopback":   {"http://a.example/index.json", "1.tar.gz", ""},
		"plain with this machine": {"http://127.0.0.1:8/index.json", "1.tar.gz", "http://127.0.0.1:8/1.tar.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.base.Beside(c.reference)
			if string(got) != c.want || c.want == "" && sdk.KindOf(err) != sdk.KindDenied {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/ten", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("0123456789")) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("0123456789"))
	})
	mux.Handle("/elsewhere", http.RedirectHandler("https://127.0.0.1:1/ten", http.StatusFound))
	mux.Handle("/away", http.RedirectHandler("http://a.example/ten", http.StatusFound))
	mux.Handle("/here", http.RedirectHandler("/ten", http.StatusFound))
	mux.Handle("/again", http.RedirectHandler("/again", http.StatusFound))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "ten"), []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		location, want string
		limit          int64
		kind           sdk.Kind
	}{
		"an answer":                    {server.URL + "/ten", "0123456789", 10, ""},
		"a redirect":                   {server.URL + "/here", "0123456789", 10, ""},
		"a file":                       {filepath.Join(folder, "ten"), "0123456789", 10, ""},
		"too large":                    {server.URL + "/ten", "", 9, sdk.KindLimit},
		"a file that is too large":     {filepath.Join(folder, "ten"), "", 9, sdk.KindLimit},
		"truncated":                    {server.URL + "/cut", "", 100, sdk.KindUnavailable},
		"missing":                      {server.URL + "/none", "", 10, sdk.KindNotFound},
		"a file that is missing":       {filepath.Join(folder, "none"), "", 10, sdk.KindNotFound},
		"a folder":                     {folder, "", 10, sdk.KindDenied},
		"a redirect to another scheme": {server.URL + "/elsewhere", "", 10, sdk.KindDenied},
		"a redirect away in the clear": {server.URL + "/away", "", 10, sdk.KindDenied},
		"redirects without an end":     {server.URL + "/again", "", 10, sdk.KindDenied},
		"in the clear":                 {"http://a.example/ten", "", 10, sdk.KindDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := New().Bytes(t.Context(), Location(c.location), c.limit)
			if sdk.KindOf(err) != c.kind || c.kind == "" && string(got) != c.want {
				t.Errorf("got %q, %v; want %q, kind %q", got, err, c.want, c.kind)
			}
		})
	}
}

func TestCopyReturnsTheChecksum(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var content strings.Builder
	sum, err := New().Copy(t.Context(), Location(path), &content, 10)
	if want := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; err != nil || sum != want {
		t.Errorf("got %s, %v", sum, err)
	}
}
