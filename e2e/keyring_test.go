//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

// A secret of the key ring opens a connection, once its person trusts the project with
// it: on the Secret Service of a desktop, with a session bus of its own.
func TestKeyring(t *testing.T) {
	t.Parallel()
	heavy(t, "secrets in a key ring")
	testserver.RequireKeyring(t)
	home, dir := t.TempDir(), t.TempDir()
	const password = "hunter2-of-the-ring"
	// gnome-keyring-daemon leaves with the bus.
	script := `set -u
printf ring | gnome-keyring-daemon --unlock --components=secrets >/dev/null
printf %s "$PASSWORD" | loam secret set warehouse
unset PASSWORD
loam init "$DIR" --quiet
cd "$DIR"
loam connection add w postgres host=127.0.0.1 port=1 database=d user=u password=keyring:warehouse --quiet
loam connection test w
loam trust --revoke --quiet
loam connection test w
loam trust --yes --quiet
loam secret remove warehouse
loam connection test w
`
	cmd := exec.Command("dbus-run-session", "--", "sh", "-c", script)
	cmd.Env = append(os.Environ(),
		"HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_DATA_HOME="+filepath.Join(home, "data"), "XDG_RUNTIME_DIR="+home,
		"LOAM_TRUST=", "DIR="+dir, "PASSWORD="+password, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput() // the last test of the connection fails, as it shall
	said := string(out)
	for _, want := range []string{
		"kept: refer to it as keyring:warehouse",
		"connection refused", // the secret was found, and the server is not there
		"is not trusted on this machine yet",
		"keyring:warehouse is no longer in the key ring",
		"the key ring has none of that name",
	} {
		_, after, found := strings.Cut(said, want)
		if !found {
			t.Fatalf("%q is missing, or comes too early, in:\n%s", want, out)
		}
		said = after
	}
	if strings.Contains(string(out), password) {
		t.Errorf("the secret is shown:\n%s", out)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), password) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
