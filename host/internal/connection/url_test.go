package connection_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

type server struct {
	Host     string     `json:"host" doc:"x" url:"host"`
	Port     int        `json:"port" doc:"x" url:"port"`
	Base     string     `json:"base" doc:"x" url:"database"`
	Login    string     `json:"login" doc:"x" url:"user"`
	Password sdk.Secret `json:"secret" doc:"x" url:"password"`
	SSLMode  string     `json:"sslmode" doc:"x"`
	Token    sdk.Secret `json:"api_token" doc:"x"`
	TLS      struct {
		Key string `json:"key" doc:"x"`
	} `json:"tls" doc:"x"`
}

type local struct {
	Path string `json:"path" doc:"x" url:"file" extensions:".foo|.foo2"`
}

var (
	serverSchema = sdk.ConfigOf[server]("foo", "foodb").Means(
		sdk.URLMeaning{Scheme: "tcp()"}, sdk.URLMeaning{Scheme: "unix()"},
		sdk.URLMeaning{Scheme: "https", Keys: map[string]string{"sslmode": "full", "base": "main"}},
		sdk.URLMeaning{Parameter: "secure", Value: "true", Keys: map[string]string{"sslmode": "full"}},
		sdk.URLMeaning{Parameter: "skip", Value: "true", Keys: map[string]string{"sslmode": "none"}},
	).Schema
	fileSchema = sdk.ConfigOf[local]("foofile").Schema
)

func TestURLConfig(t *testing.T) {
	t.Parallel()
	type values = map[string]string
	for _, c := range []struct {
		url             string
		values, secrets values
		ignored         []string
	}{
		{"foo://u:p@h:1/d", values{"login": "u", "host": "h", "port": "1", "base": "d"}, values{"secret": "p"}, nil},
		{"FOO+driver://u@h/d/", values{"login": "u", "host": "h", "base": "d"}, nil, nil},
		{"foo://u:p%40%2F%25:x@y@h/d%20e", values{"login": "u", "host": "h", "base": "d e"}, values{"secret": "p@/%:x@y"}, nil},
		{"foo://[::1]:5/d", values{"host": "::1", "port": "5", "base": "d"}, nil, nil},
		{"foo://[::1]", values{"host": "::1"}, nil, nil},
		{"foo:///d?host=%2Frun%2Ffoo", values{"host": "/run/foo", "base": "d"}, nil, nil},
		{
			"jdbc:foo://h/d?login=u&secret=p%2B&ssl-mode=require&apiToken=t&pgbouncer=true&tls=x", values{"login": "u", "host": "h", "base": "d", "sslmode": "require"},
			values{"secret": "p+", "api_token": "t"},
			[]string{"pgbouncer", "tls"},
		},
		// A scheme and a parameter stand for keys that the URL does not give itself.
		{"https://h:2/d", values{"host": "h", "port": "2", "base": "d", "sslmode": "full"}, nil, nil},
		{"https://h", values{"host": "h", "base": "main", "sslmode": "full"}, nil, nil},
		{"foo://h?secure=true", values{"host": "h", "sslmode": "full"}, nil, nil},
		{"foo://h?secure=true&skip=true", values{"host": "h", "sslmode": "none"}, nil, nil},
		{"foo://h?secure=true&sslmode=own", values{"host": "h", "sslmode": "own"}, nil, nil},
		{"foo://h?secure=false", values{"host": "h"}, nil, []string{"secure"}},
		// A driver's own form escapes nothing.
		{"u:p@/:%?#x@tcp(h:3306)/d?secure=true", values{"login": "u", "host": "h", "port": "3306", "base": "d", "sslmode": "full"}, values{"secret": "p@/:%?#x"}, nil},
		{"u@unix(/run/foo.sock)/d", values{"login": "u", "host": "/run/foo.sock", "base": "d"}, nil, nil},
		{"tcp([::1]:5)/d", values{"host": "::1", "port": "5", "base": "d"}, nil, nil},
	} {
		u, ok := connection.ParseURL(c.url)
		if !ok {
			t.Errorf("%s is no URL", c.url)
			continue
		}
		got, err := u.Config(serverSchema)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		secrets := values{}
		for key, secret := range got.Secrets {
			secrets[key] = secret.Reveal()
		}
		if c.secrets == nil {
			c.secrets = values{}
		}
		if !maps.Equal(got.Values, c.values) || !maps.Equal(secrets, c.secrets) || !cmp.Equal(got.Ignored, c.ignored) {
			t.Errorf("%s: %v %v %v", c.url, got.Values, secrets, got.Ignored)
		}
	}
}

// A connector with a schema of its own takes it behind the database.
func TestURLWithASchema(t *testing.T) {
	t.Parallel()
	type place struct {
		Account string `json:"account" doc:"x" url:"host"`
		Base    string `json:"base" doc:"x" url:"database"`
		Part    string `json:"part" doc:"x" url:"schema"`
	}
	deep := sdk.ConfigOf[place]("deep").Schema
	for text, want := range map[string]map[string]string{
		"deep://h/d/s":       {"account": "h", "base": "d", "part": "s"},
		"deep://h/d%2Fe/s/":  {"account": "h", "base": "d/e", "part": "s"},
		"deep://h/d":         {"account": "h", "base": "d"},
		"deep://h/d?part=p":  {"account": "h", "base": "d", "part": "p"},
		"deep://h/d/s?x=y":   {"account": "h", "base": "d", "part": "s"},
		"deep://h?base=d%2F": {"account": "h", "base": "d/"},
	} {
		u, _ := connection.ParseURL(text)
		got, err := u.Config(deep)
		if err != nil || !maps.Equal(got.Values, want) {
			t.Errorf("%s: %v, %v", text, got.Values, err)
		}
	}
	for _, c := range []struct {
		got, want string
	}{
		{connection.ExampleURL(deep), "deep://ACCOUNT/BASE/PART"},
		{connection.ExampleURL(serverSchema), "foo://USER:PASSWORD@HOST/BASE"},
		{connection.ExampleURL(fileSchema), ""},
		{connection.ExampleURL(nil), ""},
	} {
		if c.got != c.want {
			t.Errorf("example %q, want %q", c.got, c.want)
		}
	}
}

func TestURLOfAFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"foofile://data/a%20b.foo": "data/a b.foo", "foofile:///var/a.foo?x=1": "/var/a.foo"} {
		u, _ := connection.ParseURL(text)
		got, err := u.Config(fileSchema)
		if err != nil || got.Values["path"] != want || got.Name != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if endings, key := connection.Extensions(fileSchema); key != "path" || !cmp.Equal(endings, []string{".foo", ".foo2"}) {
		t.Errorf("%s %v", key, endings)
	}
	if got := connection.Schemes(serverSchema); !cmp.Equal(got, []string{"foo", "foodb", "tcp()", "unix()", "https"}) {
		t.Errorf("%v", got)
	}
}

// TestURLErrorsKeepTheSecret: whatever is wrong with a URL, its error quotes nothing of it.
func TestURLErrorsKeepTheSecret(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"foo://u:hush%zz@h/d", "foo://u:hu/hush@h/d", "foo://u:hush#@h/d", "foo://u:hush@h:1:2/d", "foo://u:hush@h/d?x=%zz",
		"u:hush@tcp(h:1:2)/d", "foo://u:hush?x@h/d", "foo://u:1?hush@h/d", "foo://u:hush?/x@h/d",
	} {
		u, ok := connection.ParseURL(text)
		if !ok {
			t.Errorf("%s is no URL", text)
			continue
		}
		_, err := u.Config(serverSchema)
		if err == nil {
			t.Errorf("%s is taken", text)
			continue
		}
		if e := sdk.AsError(err, sdk.SourceHost); e.Kind != sdk.KindInvalid || strings.Contains(e.Error()+e.Hint, "hush") || strings.Contains(e.Error()+e.Hint, "%!") {
			t.Errorf("%s: %v (%s)", text, err, e.Hint)
		}
	}
	u, _ := connection.ParseURL("foofile://u:hush@h/x")
	if _, err := u.Config(sdk.ConfigOf[struct{}]().Schema); err == nil || strings.Contains(err.Error(), "hush") {
		t.Error(err)
	}
}

func TestWhatIsNoURL(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "foodb", "host=db", "password=foo://x", "c:\\data", "env:URL", "file:x", "://x", "a b://x", "u:p@tcp/d", "u:p@udp(h)/d", "tcp(h)", "f(x)/y"} {
		if _, ok := connection.ParseURL(text); ok {
			t.Errorf("%q is taken for a URL", text)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	got, err := connection.Keys(sdk.ConfigOf[struct {
		Host  string     `json:"host" doc:"where" url:"host" required:"true"`
		Mode  string     `json:"mode" doc:"how" enum:"a|b" default:"a"`
		Names []string   `json:"names" doc:"which" default:"x,y"`
		Word  sdk.Secret `json:"word" doc:"secret"`
		TLS   struct {
			Key string `json:"key" doc:"file" format:"path"`
		} `json:"tls" doc:"x"`
	}]().Schema)
	want := []connection.Key{
		{Name: "host", Type: "string", Description: "where", Required: true, URL: "host"},
		{Name: "mode", Type: "a | b", Description: "how", Default: "a"},
		{Name: "names", Type: "list", Description: "which", Default: "x y"},
		{Name: "word", Type: "secret", Description: "secret", Secret: true},
		{Name: "tls.key", Type: "path", Description: "file"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := connection.Keys([]byte("[")); sdk.KindOf(err) != sdk.KindInternal {
		t.Error(err)
	}
	if !connection.Local(fileSchema) || connection.Local(serverSchema) || connection.Local(nil) {
		t.Error("which connectors open files of this machine is mistaken")
	}
}

// What stands beside no URL is mapped as if it stood in one, without escapes.
func TestFromParts(t *testing.T) {
	t.Parallel()
	got := connection.FromParts(serverSchema, "https",
		map[string]string{"host": "h%2F", "user": "u:@", "password": "p", "file": "x", "database": ""},
		[][2]string{{"api_token", "t"}, {"skip", "true"}, {"role", "r"}, {"a b", "c"}})
	if diff := cmp.Diff(map[string]string{"host": "h%2F", "login": "u:@", "sslmode": "none", "base": "main"}, got.Values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Secrets["secret"].Reveal() != "p" || got.Secrets["api_token"].Reveal() != "t" || len(got.Secrets) != 2 {
		t.Errorf("%d secrets", len(got.Secrets))
	}
	if diff := cmp.Diff([]string{"a b", "role"}, got.Ignored); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
