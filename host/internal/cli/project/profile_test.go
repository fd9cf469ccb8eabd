package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/sdk"
)

// profileConnectors are one of servers and one of files.
func profileConnectors() []connector.Installed {
	type server struct {
		Host     string     `json:"host" doc:"x" url:"host" default:"localhost"`
		Protocol string     `json:"protocol" doc:"x"`
		Port     int        `json:"port" doc:"x" url:"port"`
		Base     string     `json:"base" doc:"x" url:"database" required:"true"`
		User     string     `json:"login" doc:"x" url:"user"`
		Password sdk.Secret `json:"password" doc:"x" url:"password"`
		Mode     string     `json:"sslmode" doc:"x"`
		Token    sdk.Secret `json:"token" doc:"x"`
	}
	type file struct {
		Path string `json:"path" doc:"x" url:"file" extensions:".foo"`
	}
	means := []sdk.URLMeaning{
		{Scheme: "plain", Keys: map[string]string{"protocol": "http"}},
		{Parameter: "secure", Value: "true", Keys: map[string]string{"sslmode": "full"}},
	}
	return []connector.Installed{
		{Name: "served", Description: sdk.Description{ConfigSchema: sdk.ConfigOf[server]("foodb", "footoo").Means(means...).Schema}},
		{Name: "filed", Description: sdk.Description{ConfigSchema: sdk.ConfigOf[file]("foofile").Schema}},
	}
}

// profile is a file with one target.
func profile(fields string) string {
	return "shop:\n  target: dev\n  outputs:\n    dev: {type: foodb, host: h, dbname: d, " + fields + "}\n"
}

func TestProposeProfiles(t *testing.T) {
	t.Parallel()
	type want struct{ found, command, passed string }
	const in = "target dev of profile shop in profiles.yml"
	file := func(fields string) string {
		return "shop: {target: dev, outputs: {dev: {type: foofile, " + fields + "}}}\n"
	}
	for _, c := range []struct {
		name, text string
		want       []want
	}{
		{"all keys", profile("user: u, port: 5433, sslmode: require, threads: 4, schema: s"), []want{{in, "loam connection add shop served host=h port=5433 base=d login=u sslmode=require", ""}}},
		{"other names", "shop: {target: dev, outputs: {dev: {type: footoo, server: h, username: u, schema: s, pass: \"{{ env_var('PW') }}\"}}}", []want{
			{in + " (set PW in your shell first)", "loam connection add shop served host=h base=s login=u password=env:PW", ""},
		}},
		{"a variable that is set", profile(`user: "{{ env_var('SET') }}", port: "{{ env_var('SET', '1') | int }}", password: "{{ env_var(\"SET\", 'hush') }}"`), []want{
			{in, `loam connection add shop served host=h port="$SET" base=d login="$SET" password=env:SET`, ""},
		}},
		{"a variable that is not", profile(`user: "{{ env_var('NO', 'me too') }}", port: "{{env_var('NO', 5432)|as_number}}", password: "{{ env_var('NO', 'hush') }}"`), []want{
			{in + " (set NO in your shell first)", "loam connection add shop served host=h port=5432 base=d login='me too' password=env:NO", ""},
		}},
		{"one that must be set", profile(`user: "{{ env_var('NO') }}"`), []want{{in + " (set NO in your shell first)", `loam connection add shop served host=h base=d login="$NO"`, ""}}},
		{"a literal password", profile("password: hush"), []want{
			{in + " (its password is not copied: to give it, run loam secret set shop-password and add password=keyring:shop-password)", "loam connection add shop served host=h base=d", ""},
		}},
		{"a password that is computed", profile(`password: "{{ 'hu' + 'sh' }}"`), []want{
			{in + " (its password is not copied: to give it, run loam secret set shop-password and add password=keyring:shop-password)", "loam connection add shop served host=h base=d", ""},
		}},
		{"another literal secret", profile("token: hush"), []want{
			{in + " (its token is not copied: to give it, run loam secret set shop-token and add token=keyring:shop-token)", "loam connection add shop served host=h base=d", ""},
		}},
		{"a secret's default", profile(`token: "{{ env_var('NO', 'hush') }}"`), []want{
			{in + " (its token is not copied: to give it, run loam secret set shop-token and add token=keyring:shop-token)", "loam connection add shop served host=h base=d", ""},
		}},
		{"no password", profile("password: , user: ''"), []want{{in, "loam connection add shop served host=h base=d", ""}}},
		{"what cannot be said", profile(`role: r, retries: 1, sslmode: "{{ var('x') }}", settings: {a: b}, "odd key": x`), []want{
			{in + " (without settings, sslmode, retries, role)", "loam connection add shop served host=h base=d", ""},
		}},
		{"meanings", profile("secure: True, driver: plain"), []want{{in, "loam connection add shop served host=h protocol=http base=d sslmode=full", ""}}},
		{"a host that is computed", strings.Replace(profile("port: 1"), "host: h", `host: "db-{{ target.name }}"`, 1), []want{{in, "", "its host is to be computed by dbt"}}},
		{"control characters", profile(`user: "a\eb"`), []want{{in, "", "its user has control characters"}}},
		{"what a shell would run", profile("user: '$(touch x); `y` ''q'"), []want{{in, `loam connection add shop served host=h base=d login='$(touch x); ` + "`y`" + ` '\''q'`, ""}}},
		{"what reads as another place", profile("user: 'u@tcp(evil)/d'"), []want{{in, "", "its login reads as a URL"}}},
		{"no database", "shop: {target: dev, outputs: {dev: {type: foodb, host: h}}}", []want{{in, "", "it says no base"}}},
		{"another type", "shop: {target: dev, outputs: {dev: {type: other, password: hush}}}", nil},
		{"a site", "shop: {target: dev, outputs: {dev: {type: https, host: h}}}", nil},
		{"a file", file("path: my data/x.foo, threads: 4"), []want{{in, "loam connection add shop filed path='my data/x.foo'", ""}}},
		{"files by name", file("schemas_and_paths: {main: x.foo, other: y.foo}"), []want{{in, "loam connection add shop filed path=x.foo", ""}}},
		{"no file", file("path: ':memory:'"), []want{{in, "", "it names no file of this machine"}}},
		{"a file far away", file("path: 'md:x'"), []want{{in, "", "it names no file of this machine"}}},
		{"no path", file("threads: 1"), []want{{in, "", "it names no file of this machine"}}},
		{
			"the target first, and what is merged",
			"a.b: {target: \"{{ env_var('SET') }}\", outputs: {dev: &d {type: foodb, host: h, dbname: d}, set: {<<: *d, host: i}}}\nconfig: {x: 1}\nz: {outputs: {default: {<<: [*d], user: u}}}\n",
			[]want{
				{"target set of profile a.b in profiles.yml", "loam connection add a_b served host=i base=d", ""},
				{"target default of profile z in profiles.yml", "loam connection add z served host=h base=d login=u", ""},
				{"target dev of profile a.b in profiles.yml", "loam connection add a_b_dev served host=h base=d", ""},
			},
		},
		{"no YAML", "shop: {password: *hush", []want{{"profiles.yml", "", "it is no YAML"}}},
		{"nothing", "# empty\n", []want{{"profiles.yml", "", "it is empty"}}},
		{"a list", "- hush\n", []want{{"profiles.yml", "", "it has no profiles"}}},
		{"other shapes", "a: 1\nb: [x]\nc: {outputs: 1}\nd: {outputs: {e: [1]}}\n", nil},
		{"a merge with itself", "a: &a {<<: *a, outputs: {dev: {type: foodb}}}\n", []want{{"profiles.yml", "", "its aliases unfold to too much"}}},
		{"a bomb", bomb(), []want{{"profiles.yml", "", "its aliases unfold to too much"}}},
		{"too large", profile("user: u") + strings.Repeat("#", maxProfiles), []want{{"profiles.yml", "", "it is larger than 256 KiB"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, profilesName), c.text)
			getenv := func(name string) string { return map[string]string{"SET": "set"}[name] }
			var want []proposal
			for _, w := range c.want {
				want = append(want, proposal{Found: w.found, Command: w.command, PassedOver: w.passed})
			}
			got := proposeProfiles(dir, "", profileConnectors(), getenv)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, p := range got {
				if strings.Contains(p.Found+p.Command+p.PassedOver, "hush") {
					t.Errorf("a secret is shown: %+v", p)
				}
			}
		})
	}
}

// bomb is a file whose merges unfold to 40 to the power of 8 mappings.
func bomb() string {
	var b strings.Builder
	b.WriteString("m0: &m0 {x: 1}\n")
	for i := range 7 {
		before, name := "*m"+string(rune('0'+i)), "m"+string(rune('1'+i))
		b.WriteString(name + ": &" + name + " {<<: [" + strings.Repeat(before+",", 39) + before + "]}\n")
	}
	return b.String()
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The folder that is named comes first, then the project, then the person's.
func TestProfilesFile(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	named := ""
	getenv := func(name string) string { return map[string]string{"DBT_PROFILES_DIR": named}[name] }
	first := func() string {
		t.Helper()
		found := proposeProfiles(dir, home, profileConnectors(), getenv)
		if len(found) == 0 {
			return ""
		}
		return found[0].Found
	}
	if got := first(); got != "" {
		t.Errorf("without a file: %q", got)
	}
	for _, c := range []struct{ named, path, shown string }{
		{"", filepath.Join(home, ".dbt", profilesName), filepath.Join(home, ".dbt", profilesName)},
		{"", filepath.Join(dir, profilesName), profilesName},
		{"none", filepath.Join(dir, profilesName), profilesName},
		{"in", filepath.Join(dir, "in", profilesName), filepath.Join(dir, "in", profilesName)},
		{"~/own", filepath.Join(home, "own", profilesName), filepath.Join(home, "own", profilesName)},
	} {
		put(t, c.path, profile("user: u"))
		named = c.named
		if got := first(); got != "target dev of profile shop in "+c.shown {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestManyProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "shop:\n  target: t5\n  outputs:\n"
	for i := range maxProposals + 3 {
		text += fmt.Sprintf("    t%d: {type: foodb, host: h%d, dbname: d}\n", i, i)
	}
	put(t, filepath.Join(dir, profilesName), text)
	got := propose(dir, "", profileConnectors(), os.Getenv)
	if len(got) != maxProposals+1 || got[0].Command != "loam connection add shop served host=h5 base=d" || got[maxProposals].Found != "3 more targets" {
		t.Errorf("%+v", got)
	}
}

// A link of a stranger's project leads nowhere else.
func TestProfilesBehindALink(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "x")
	put(t, elsewhere, profile("user: u"))
	if err := os.Symlink(elsewhere, filepath.Join(dir, profilesName)); err != nil {
		t.Skip("this system makes no links: ", err)
	}
	want := []proposal{{Found: profilesName, PassedOver: "it is a link out of the project"}}
	if diff := cmp.Diff(want, proposeProfiles(dir, "", profileConnectors(), os.Getenv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
