package testserver

import (
	"os/exec"
	"testing"
)

// RequireKeyring skips a test where no Secret Service can be started.
func RequireKeyring(t testing.TB) {
	t.Helper()
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, "no %s found: run scripts/setup", program)
		}
	}
}
