//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loam-data/loam/e2e/testserver"
)

// noRing is a desktop's bus on which nobody answers: without it the tests would write to
// the key ring of whoever runs them.
const noRing = "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"

// signedInToken is what the sign-in of chaos gives.
const signedInToken = "tok-of-the-sign-in"

func TestLogin(t *testing.T) {
	t.Parallel()
	heavy(t, "signing in to a connection")
	folder := chaosNamed(t, "signin")
	scripts(t, "testdata/login", func(env *testscript.Env) {
		env.Setenv("LOAM_CONNECTOR_PATH", folder+string(filepath.ListSeparator)+bin)
		name, value, _ := strings.Cut(noRing, "=")
		env.Setenv(name, value)
		_ = os.Chmod(filepath.Join(env.WorkDir, "bin", "xdg-open"), 0o755) // if the story has one
	})
}

const signinProject = "version: 1\nconnections:\n  # ours\n  w: {connector: signin, config: {mode: MODE}} # mine\n"

// On a terminal the address, the code and their time are shown, and ctrl-C ends the wait.
func TestLoginOnATerminal(t *testing.T) {
	t.Parallel()
	heavy(t, "signing in to a connection")
	folder := chaosNamed(t, "signin")
	login := func(mode string) *typist {
		dir := project(t, strings.Replace(signinProject, "MODE", mode, 1))
		return typingIn(t, dir, []string{"LOAM_CONNECTOR_PATH=" + folder, "LOAM_TRUST=1", noRing}, "connection", "login", "w")
	}
	p := login("well")
	for _, want := range []string{
		"https://login.example/device", "WDJB-MJHT", "2099-01-02 03:04 UTC", "ctrl-c ends it",
		"signed in to w as ada", "a file that only you can read", "2099-02-03 04:05 UTC", "next: loam connection test w",
	} {
		p.expect(want)
	}
	if code := p.end(); code != 0 || len(p.kept()) != 1 || strings.Contains(p.all+p.yaml(), signedInToken) || !strings.Contains(p.yaml(), "# mine") {
		t.Errorf("exit %d, kept %q:\n%s\n%s", code, p.kept(), p.all, p.yaml())
	}

	p = login("wait")
	p.expect("ctrl-c ends it")
	p.enter("\x03")
	p.expect("cancelled: nobody signed in, and nothing was changed")
	if code := p.end(); code != 130 || len(p.kept()) != 0 || strings.Contains(p.yaml(), "oauth") {
		t.Errorf("exit %d, kept %q:\n%s\n%s", code, p.kept(), p.all, p.yaml())
	}
}

// Where there is a key ring the token lies there, under the name that the connection has
// already or under a new one.
func TestLoginKeyring(t *testing.T) {
	t.Parallel()
	heavy(t, "signing in to a connection")
	testserver.RequireKeyring(t)
	folder, home := chaosNamed(t, "signin"), t.TempDir()
	dir := project(t, strings.Replace(signinProject, "MODE", "well", 1))
	script := `set -eu
printf ring | gnome-keyring-daemon --unlock --components=secrets >/dev/null
loam trust --yes --quiet
loam connection login w --json
loam connection test w
grep '# mine' loam.yaml
printf %s tok-of-the-sign-in | loam secret set by-hand
loam connection set w oauth.token=keyring:by-hand
cp loam.yaml before
loam connection login w --json
cmp loam.yaml before
loam connection test w
echo all-done
`
	cmd := exec.CommandContext(t.Context(), "dbus-run-session", "--", "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_DATA_HOME="+filepath.Join(home, "data"),
		"XDG_CONFIG_HOME="+filepath.Join(home, "config"), "XDG_RUNTIME_DIR="+home, "LOAM_TRUST=", "LOAM_CONNECTOR_PATH="+folder, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	said := string(out)
	if err != nil || !strings.Contains(said, `"oauth.token": "keyring:w.oauth.token@`) || !strings.Contains(said, `"oauth.token": "keyring:by-hand"`) || strings.Contains(said, signedInToken) {
		t.Errorf("%v:\n%s", err, said)
	}
	if _, err := os.Stat(filepath.Join(home, "config", "loam", "secrets")); err == nil {
		t.Error("a secret lies in a file, too")
	}
}
