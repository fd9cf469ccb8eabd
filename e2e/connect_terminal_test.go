//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

// connecting runs loam connect on a terminal in an empty folder, on a machine without a
// key ring and without clients.
func connecting(t *testing.T, args ...string) *typist {
	t.Helper()
	return typingIn(t, t.TempDir(), []string{"DBUS_SESSION_BUS_ADDRESS=" + keyringless, "PATH=/nonexistent"}, append([]string{"connect"}, args...)...)
}

// nothingMade tests that an attempt left no project.
func (p *typist) nothingMade() {
	p.Helper()
	if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
		p.Errorf("it leaves %v, %v:\n%s", left, err, p.all)
	}
}

// On a terminal the command asks for what is missing, shows no secret, and can be stopped
// at each question.
func TestConnectAsks(t *testing.T) {
	heavy(t, "dialogues of loam connect in a terminal")
	t.Parallel()
	db := testserver.Postgres(t).Database(t, connectTables+connectRows)
	bare := connectURL("postgres", testserver.PostgresReader, "", db.Host, db.Port, db.Name) + "?sslmode=require"

	p := connecting(t, bare)
	p.answer([][2]string{{"password (not shown", testserver.PostgresPassword}})
	if code := p.end(); code != 0 || !strings.Contains(p.all, "added "+db.Name) || !strings.Contains(p.yaml(), "password: env:"+strings.ToUpper(db.Name)+"_PASSWORD") {
		t.Errorf("a URL without a password: exit %d\n%s", code, p.all)
	}
	if strings.Contains(p.all, testserver.PostgresPassword) || strings.Contains(p.all, "history") || p.kept() != nil {
		t.Errorf("the password is shown or kept in a file:\n%s", p.all)
	}

	whole := connectURL("postgres", testserver.PostgresReader, testserver.PostgresPassword, db.Host, db.Port, db.Name) + "?sslmode=require"
	conversation := [][2]string{
		{"URL (not shown", whole},
		{"Name of the connection [" + db.Name + "]: ", "shop"},
		{"Add it? [Y/n] ", ""},
	}
	p = connecting(t, "-")
	p.answer(conversation)
	if code := p.end(); code != 0 || !strings.Contains(p.all, "added shop") || strings.Contains(p.all, "staple") {
		t.Errorf("a URL that was asked for: exit %d\n%s", code, p.all)
	}
	for i, turn := range conversation {
		p := connecting(t, "-")
		p.answer(conversation[:i])
		p.expect(turn[0])
		p.enter("\x03")
		if code := p.end(); code != 130 || !strings.Contains(p.all, "nothing was written") || !p.echoes() {
			t.Errorf("stopped at %q: exit %d\n%s", turn[0], code, p.all)
		}
		p.nothingMade()
	}

	p = connecting(t)
	p.answer([][2]string{
		{"or a database file: ", "postgres"},
		{"host [localhost]: ", db.Host},
		{"port [5432]: ", strconv.Itoa(db.Port)},
		{"database: ", db.Name},
		{"user: ", testserver.PostgresReader},
		{"password (not shown", "wrong"},
		{"KEY=VALUE, or nothing: ", ""},
		{"Name of the connection [" + db.Name + "]: ", ""},
		{"Add it? [Y/n] ", "y"},
	})
	if code := p.end(); code != 7 || !strings.Contains(p.all, "the step login of the test failed") {
		t.Errorf("a wrong password: exit %d\n%s", code, p.all)
	}
	p.nothingMade()

	p = connecting(t, whole, "--no-agents")
	if code := p.end(); code != 0 || !strings.Contains(p.all, "in the history of your shell") {
		t.Errorf("a password on the command line: exit %d\n%s", code, p.all)
	}
}

// Where there is a key ring the password lies there, and the connection opens with it.
func TestConnectKeyring(t *testing.T) {
	heavy(t, "loam connect with a key ring")
	t.Parallel()
	testserver.RequireKeyring(t)
	db := testserver.Postgres(t).Database(t, connectTables+connectRows)
	home, dir := t.TempDir(), t.TempDir()
	at := func(password string) string {
		return connectURL("postgres", testserver.PostgresReader, password, db.Host, db.Port, db.Name) + "?sslmode=require"
	}
	script := `set -eu
printf ring | gnome-keyring-daemon --unlock --components=secrets >/dev/null
cd "$DIR"
loam connect "$URL" --name w --no-agents --json
loam sql -c w 'select count(*) from orders'
loam connect "$WRONG" --name w --no-agents || echo "refused $?"
loam sql -c w 'select count(*) from orders'
loam connect "$URL" --name w --no-agents
loam connect "$URL" --name v --no-agents --password-env PG_PASSWORD
`
	cmd := exec.Command("dbus-run-session", "--", "sh", "-c", script)
	cmd.Env = append(os.Environ(),
		"HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_DATA_HOME="+filepath.Join(home, "data"), "XDG_RUNTIME_DIR="+home,
		"LOAM_TRUST=", "DIR="+dir, "URL="+at(testserver.PostgresPassword), "WRONG="+at("wrong"), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	said := string(out)
	for _, want := range []string{`"password": "keyring:w.password@`, "refused 7", "w is in", "kept in your key ring", "password: env:PG_PASSWORD"} {
		_, after, found := strings.Cut(said, want)
		if !found {
			t.Fatalf("%v: %q is missing, or comes too early, in:\n%s", err, want, out)
		}
		said = after
	}
	if err != nil || strings.Contains(string(out), testserver.PostgresPassword) {
		t.Errorf("%v, or the secret is shown:\n%s", err, out)
	}
}
