//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// chaosConnector returns the folder of the connector that misbehaves on request.
func chaosConnector(t *testing.T) (folder string) { return chaosNamed(t, "chaos") }

var builtChaos = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(work, "chaos")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "github.com/loam-data/loam/e2e/chaos").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return binary, err
})

// chaosNamed is chaosConnector under a name, by which the program chooses what it is.
func chaosNamed(t *testing.T, name string) (folder string) {
	t.Helper()
	built, err := builtChaos()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	binary := filepath.Join(folder, "loam-connector-"+name)
	if err := os.Link(built, binary); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), binary, "manifest", "--output", binary+".json").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// TestWhatLeavesItsGroupEndsWithTheConnector has a connector start a process as a
// daemon does, in a session of its own and with a parent that ends.
func TestWhatLeavesItsGroupEndsWithTheConnector(t *testing.T) {
	t.Parallel()
	heavy(t, "what a connector leaves behind")
	folder := chaosConnector(t)
	signal := func(s *server, what syscall.Signal) {
		if err := s.cmd.Process.Signal(what); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]func(t *testing.T, s *server, connector int){
		"the host is told to end": func(_ *testing.T, s *server, _ int) { signal(s, syscall.SIGTERM) },
		"the host is killed":      func(_ *testing.T, s *server, _ int) { signal(s, syscall.SIGKILL) },
		"the connector is killed": func(t *testing.T, _ *server, connector int) {
			if err := syscall.Kill(connector, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		},
		"the connector crashes": func(t *testing.T, s *server, _ int) {
			if _, f := s.sql(t.Context(), t, "chaos", "SELECT die 1 boom", nil); f == nil || f.Code != "unavailable" {
				t.Errorf("die: %+v", f)
			}
		},
	}
	for name, end := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, "version: 1\nconnections:\n  chaos: {connector: chaos, config: {}}\n")
			s := stdioServer(t, dir, "LOAM_CONNECTOR_PATH="+folder, "LOAM_TRUST=1")
			got, f := s.sql(t.Context(), t, "chaos", "SELECT daemon", nil)
			if f != nil {
				t.Fatalf("daemon: %+v", f)
			}
			var pid string
			if err := json.Unmarshal(got.Rows[0][0], &pid); err != nil {
				t.Fatal(err)
			}
			daemon := atoi(t, pid)
			running := connectors(t, s.cmd.Process.Pid)
			if !alive(daemon) || len(running) != 1 || sessionOf(t, daemon) != daemon {
				t.Fatalf("the daemon does not run in a session of its own; connectors: %v", running)
			}
			end(t, s, running[0])
			eventually(t, settle, "the daemon has ended", func() bool { return !alive(daemon) })
		})
	}
}
