//go:build !windows

package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// person is somebody else, who installs what was published: with a project, a store and a
// shell of their own.
type person struct {
	t         *testing.T
	dir, data string
	env       []string
	server    *httptest.Server // the publisher's
}

// newPerson serves what p published, and makes a project whose data the command admin, which runs in
// the publisher's project, has written.
func newPerson(t *testing.T, p publisher, admin string) *person {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(p.dir, "dist"))))
	t.Cleanup(server.Close)
	inShell(t, p.dir, "echo \"create table meals (id integer primary key, name text, price integer);\n"+
		"insert into meals values (1, 'soup', 4), (2, 'bread', 3), (3, 'soup', 5);\" | "+admin)
	key, err := os.ReadFile(filepath.Join(p.dir, p.key+".pub"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(key))
	dir, data := project(t, "version: 1\nconnections:\n  food: {connector: acme/foodb, config: {path: food.db}}\nconnector_indexes: ['"+server.URL+"/index.json']\n"), t.TempDir()
	if err := os.Rename(filepath.Join(p.dir, "food.db"), filepath.Join(dir, "food.db")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "semantic-layer/food/meals.yaml"), "name: meals\ntable: meals\nprimary_key: [id]\n"+
		"dimensions: [{name: name, type: string}]\nmeasures: [{name: spent, agg: sum, expr: price}]\n")
	return &person{t: t, dir: dir, data: data, server: server, env: append(os.Environ(),
		"PATH="+bin+":/usr/bin:"+os.Getenv("PATH"), "XDG_DATA_HOME="+data, "LOAM_TRUST=1", "KEY="+lines[len(lines)-1])}
}

// wants runs commands that must end with an exit code and print a text.
func (p *person) wants(script string, code int, want string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "sh", "-ec", script)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, _ := cmd.CombinedOutput() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(out), want) {
		p.t.Fatalf("%s: exit %d, want %d and %q:\n%s", script, got, code, want, out)
	}
}

// commandsIn are the commands of a page.
func commandsIn(t *testing.T, page string) (found []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/connectors/" + page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "```sh\n")[1:] {
		commands, _, _ := strings.Cut(block, "```")
		found = append(found, commands)
	}
	return found
}

// goesTheWay installs the connector as the pages say, uses it, updates it to what publish releases,
// rolls it back and removes it, and gets it back from the lock when its server is gone.
func (p *person) goesTheWay(publish func()) {
	p.t.Helper()
	const ask = `loam sql -c food "select name from meals where price = 4"`
	p.wants("loam connector install acme/foodb --yes", 3, "which is not trusted on this machine")
	p.wants("loam connector install", 0, "nothing to install")
	for _, block := range commandsIn(p.t, "installing.md") {
		if strings.Contains(block, "update") {
			publish()
		}
		p.wants(block, 0, "")
		switch {
		case strings.Contains(block, "install acme/foodb"):
			p.uses()
		case strings.Contains(block, "rollback"):
			p.wants("loam connector list", 0, "0.1.0")
		case strings.Contains(block, "push"):
			p.wants("cat connectors.lock", 0, "oci:"+filepath.Join(p.dir, "layout")+":acme/index.json")
		}
		p.wants(ask, 0, "soup")
	}
	for _, block := range commandsIn(p.t, "security.md") {
		p.wants(block, 0, "signed")
	}
	p.wants("loam connector remove acme/foodb --keep-lock", 0, "removed")
	p.wants(ask, 5, "loam connector install")
	p.server.Close()
	p.wants("loam connector install", 0, "installed acme/foodb 0.1.0")
	p.wants(ask, 0, "soup")

	p.tampers(ask)
	p.wants("loam connector remove acme/foodb", 0, "removed")
	p.wants("loam connector verify", 0, "")
}

// uses asks the connector by every way: a statement, a scan, the semantic layer, an MCP client.
func (p *person) uses() {
	p.t.Helper()
	p.wants("loam scan food", 0, "")
	p.wants("loam sl query --json -m meals.spent | tr -d '\\n'", 0, `"rows":[[12]]`)
	p.wants("loam sl query --json -m meals.spent -b meals.name | tr -d '\\n'", 0, `"rows":[["bread",3],["soup",9]]`)
	s := stdioServer(p.t, p.dir, p.env...)
	if a, f := s.sql(p.t.Context(), p.t, "food", "select sum(price) as n from meals", nil); f != nil || len(a.Rows) != 1 {
		p.t.Errorf("over MCP: %+v %+v", a, f)
	}
	p.wants(`loam sql -c food "delete from meals"`, 4, "DELETE is refused")
}

// tampers changes the installed files behind Loam's back: the connector does not start.
func (p *person) tampers(ask string) {
	p.t.Helper()
	installed, err := filepath.Glob(filepath.Join(p.data, "loam", "connectors", "acme", "foodb", "0.1.0", "*"))
	if err != nil || len(installed) != 1 {
		p.t.Fatalf("installed in %v, %v", installed, err)
	}
	writeFile(p.t, filepath.Join(installed[0], "sitecustomize.py"), "print('evil')\n")
	p.wants(ask, 8, "its files are not those that were installed")
	p.wants("loam connector verify", 3, "its files are not those that were installed")
	p.wants("loam connector install", 0, "installed acme/foodb 0.1.0")
	p.wants(ask, 0, "soup")
}
