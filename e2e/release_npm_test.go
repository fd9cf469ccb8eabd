package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nodePlatform is this machine as Node.js names it.
func nodePlatform() string {
	return strings.NewReplacer("windows", "win32", "amd64", "x64", "_", "-").Replace(nativePlatform)
}

// TestReleaseNPM installs the packages of a release into a new folder, without a network,
// and runs the demo by npx.
func TestReleaseNPM(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"npm", "npx", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: %v", program, err)
		}
	}
	dir, home := newRelease(t), t.TempDir()
	desk := &desk{home: home, dir: filepath.Join(home, "fresh")}
	if err := os.Mkdir(desk.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	desk.env = []string{"HOME=" + home, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "npm_config_offline=true", "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false"}
	wrapper := filepath.Join(dir, "loam-data-loam-"+releaseVersion+".tgz")
	desk.run(t, desk.dir, "npm", "install", wrapper, filepath.Join(dir, "loam-data-loam-"+nodePlatform()+"-"+releaseVersion+".tgz"))
	if demo := desk.run(t, desk.dir, "npx", "loam", "demo", "shop"); !strings.Contains(demo, "sl_query") {
		t.Errorf("the demo prints %s", demo)
	}

	shop := filepath.Join(desk.dir, "shop")
	var statement struct{ Rows [][]any }
	printed := desk.run(t, shop, "npx", "loam", "sql", "--json", "--quiet", "-c", "shop", "select 42")
	if err := json.Unmarshal([]byte(printed), &statement); err != nil || len(statement.Rows) != 1 {
		t.Errorf("loam sql prints %s (%v)", printed, err)
	}
	failing := exec.CommandContext(t.Context(), filepath.Join(desk.dir, "node_modules/.bin/loam"), "sql", "--no-such-flag")
	failing.Dir, failing.Env = shop, desk.env
	if _ = failing.Run(); failing.ProcessState.ExitCode() != 2 {
		t.Errorf("an error of usage exits with %v", failing.ProcessState)
	}

	alone := filepath.Join(home, "alone") // without the package of its platform
	if err := os.Mkdir(alone, 0o755); err != nil {
		t.Fatal(err)
	}
	desk.run(t, alone, "npm", "install", "--omit=optional", wrapper)
	without := exec.CommandContext(t.Context(), filepath.Join(alone, "node_modules/.bin/loam"), "version")
	without.Dir, without.Env = alone, desk.env
	if out, err := without.CombinedOutput(); err == nil || !strings.Contains(string(out), "@loam-data/loam-"+nodePlatform()+" is not installed") {
		t.Errorf("without the package of its platform: %v\n%s", err, out)
	}
}
