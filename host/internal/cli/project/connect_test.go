package project

import (
	"errors"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// shelf is a key ring in memory, or one that fails.
type shelf struct {
	held map[string]string
	fail error
}

func (s *shelf) Get(_, name string) (string, error) { return s.held[name], s.fail }
func (s *shelf) Set(_, name, value string) error {
	if s.fail == nil {
		s.held[name] = value
	}
	return s.fail
}
func (s *shelf) Delete(_, name string) error { delete(s.held, name); return s.fail }

// What to connect is a URL, a file, a folder or a connector; no error quotes what may hold
// a secret.
func TestWhatToConnect(t *testing.T) {
	t.Parallel()
	file, folder := t.TempDir()+"/noending", t.TempDir()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct{ location, connector, says string }{
		"":                              {},
		"foo://u:hush@h/d a=b":          {location: "foo://u:hush@h/d"},
		"foo://u:hush@h/d?sslmode=x":    {location: "foo://u:hush@h/d?sslmode=x"},
		"env:DATABASE_URL":              {location: "env:DATABASE_URL"},
		"foodb host=h":                  {connector: "foodb"},
		"acme.db":                       {location: "acme.db"},
		"data/none":                     {location: "data/none"},
		file:                            {location: file},
		folder:                          {location: folder},
		"foo:u:hush@h/d":                {says: "neither a URL"},
		"u:hush@h":                      {says: "neither a URL"},
		"foo://h/d bar://u:hush@h":      {says: "more than one URL"},
		"foo://h/d u:hush@h":            {says: "neither KEY=VALUE"},
		"foo://h/d more":                {says: "not of the form key=value"},
		"-":                             {location: "foo://typed:hush@h/d"},
		"- a=b":                         {location: "foo://typed:hush@h/d"},
		"host=h":                        {},
		"foo://h/d host=h host=i":       {says: "twice"},
		"foo://u:hush@h/d password=x@y": {location: "foo://u:hush@h/d"},
	} {
		a := &commands{term: &terminal.Terminal{In: strings.NewReader(" foo://typed:hush@h/d \n\n"), Out: &strings.Builder{}, Err: &strings.Builder{}}}
		add, err := a.connectArguments(&cobra.Command{Use: "connect"}, strings.Fields(text))
		switch {
		case want.says == "" && (err != nil || add.location != want.location || add.Connector != want.connector):
			t.Errorf("%q: %q, %q, %v", text, add.location, add.Connector, err)
		case want.says != "" && (err == nil || !strings.Contains(err.Error(), want.says)):
			t.Errorf("%q: %v", text, err)
		}
		if e := sdk.AsError(err, sdk.SourceHost); e != nil && strings.Contains(e.Error()+e.Hint, "hush") {
			t.Errorf("%q: the error has the secret: %v", text, e)
		}
	}
	for _, input := range []string{"", "\n", "foo://h/d\nfoo://u:hush@i/d\n"} {
		a := &commands{term: &terminal.Terminal{In: strings.NewReader(input), Out: &strings.Builder{}, Err: &strings.Builder{}}}
		if _, err := a.connectArguments(&cobra.Command{Use: "connect"}, []string{"-"}); sdk.KindOf(err) != sdk.KindInvalid || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q on standard input: %v", input, err)
		}
	}
}

// A secret goes into the key ring, or where none is usable into a variable; the name that
// a connection has already stays; a variable with another value is refused.
func TestHiddenSecrets(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("OTHER", "elsewise")
	t.Setenv("SAME", "hush")
	for name, c := range map[string]struct {
		ring      *shelf
		before    string
		reference string // its beginning
		unset     string
		refused   bool
	}{
		"a key ring":                  {&shelf{held: map[string]string{}}, "", "keyring:w.password@", "", false},
		"a name in the key ring":      {&shelf{held: map[string]string{"own": "was"}}, "keyring:own", "keyring:own", "", false},
		"no key ring":                 {&shelf{fail: errors.New("no bus")}, "", "env:W_PASSWORD", "W_PASSWORD", false},
		"a name, and no key ring":     {&shelf{fail: errors.New("no bus")}, "keyring:own", "env:W_PASSWORD", "W_PASSWORD", false},
		"a variable that is not set":  {&shelf{held: map[string]string{}}, "env:UNSET", "env:UNSET", "UNSET", false},
		"a variable with it":          {&shelf{held: map[string]string{}}, "env:SAME", "env:SAME", "", false},
		"a variable with another one": {&shelf{held: map[string]string{}}, "env:OTHER", "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			resolver := secret.New(t.TempDir(), nil, slog.New(slog.DiscardHandler)).Granting(func(string) bool { return true })
			services := &Services{Project: project.NewSource(t.TempDir(), nil), Supply: resolver.Supply}
			a := &commands{term: &terminal.Terminal{Out: &strings.Builder{}, Err: &strings.Builder{}}, keys: secret.NewKeys(c.ring)}
			config := map[string]any{"host": "h"}
			if c.before != "" {
				config["password"] = c.before
			}
			var h hiddenSecrets
			err := h.hide(t.Context(), a, services, "w", config, map[string]sdk.Secret{"password": sdk.NewSecret("hush")})
			if c.refused {
				if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindConflict || strings.Contains(e.Error()+e.Hint, "hush") || strings.Contains(e.Error()+e.Hint, "elsewise") {
					t.Errorf("%v", err)
				}
				return
			}
			reference, _ := config["password"].(string)
			if err != nil || !strings.HasPrefix(reference, c.reference) || strings.Join(h.variables, " ") != c.unset {
				t.Fatalf("%q, to be set %q, %v", reference, h.variables, err)
			}
			if got, err := resolver.Resolve(t.Context(), reference); err != nil || got.Reveal() != "hush" {
				t.Errorf("it is not resolved in this process: %v", err)
			}
			before := len(c.ring.held)
			if err := h.keep(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			kept := strings.TrimPrefix(reference, "keyring:")
			if strings.HasPrefix(reference, "keyring:") != (c.ring.held[kept] == "hush") {
				t.Errorf("the key ring has %v", c.ring.held)
			}
			if h.undo(t.Context(), a); len(c.ring.held) != before {
				t.Errorf("after undo the key ring has %v", c.ring.held)
			}
		})
	}
}

// What loam kept goes when no key refers to it any more; what a person put there stays.
func TestForgetSecrets(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	dir := t.TempDir()
	d, err := drawer(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"w.token", "w.used"} {
		if err := d.Keep(name, sdk.NewSecret("hush")); err != nil {
			t.Fatal(err)
		}
	}
	was := map[string]any{
		"password": "keyring:" + d.Key("w.password"), "mine": "keyring:mine", "gone": "keyring:" + d.Key("w.gone"), "variable": "env:W",
		"tls": map[string]any{"key": "keyring:" + d.Key("w.tls.key"), "token": d.Reference("w.token"), "used": d.Reference("w.used")},
	}
	ring := &shelf{held: map[string]string{d.Key("w.password"): "hush", d.Key("w.tls.key"): "hush", "mine": "hush"}}
	a := &commands{term: &terminal.Terminal{Out: &strings.Builder{}, Err: &strings.Builder{}}, keys: secret.NewKeys(ring)}
	now := map[string]any{"tls": map[string]any{"key": "keyring:" + d.Key("w.tls.key"), "used": d.Reference("w.used")}}
	a.forgetSecrets(t.Context(), dir, was, now)
	if want := map[string]string{d.Key("w.tls.key"): "hush", "mine": "hush"}; !maps.Equal(want, ring.held) {
		t.Errorf("the key ring has %v", ring.held)
	}
	for name, stays := range map[string]bool{"w.token": false, "w.used": true} {
		ref, _ := secret.Parse(d.Reference(name))
		path, err := ref.Path("")
		if _, found := os.Stat(path); err != nil || stays != (found == nil) {
			t.Errorf("%s: %v %v", name, found, err)
		}
	}
}
