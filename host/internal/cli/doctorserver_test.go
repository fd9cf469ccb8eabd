package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/terminal"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/project"
)

// serverFindings are what doctor has to say of the server and its clients.
func (f *folder) serverFindings(t *testing.T) []string {
	t.Helper()
	var d struct {
		OK       bool               `json:"ok"`
		Findings []terminal.Finding `json:"findings"`
	}
	f.decode(t, &d, "doctor", "--json")
	var found []string
	for _, one := range d.Findings {
		if about, ok := strings.CutPrefix(one.Subject, "mcp "); ok {
			found = append(found, fmt.Sprintf("%s: %v %s", about, one.Warning, strings.ReplaceAll(one.Detail, f.dir, "PROJECT")))
		}
	}
	return found
}

// What status and doctor say of the server in each phase of its life, and of a
// client that was set up for it.
func TestServerIsLookedAfter(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	answers := true
	var port int
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if answers {
			fmt.Fprintf(w, `{"status":"ok","version":"1.2.3","port":%d}`, port)
		}
	}))
	defer site.Close()
	address, err := netip.ParseAddrPort(site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port = int(address.Port())
	client := func(url string) {
		clients, err := f.agents()
		if err != nil {
			t.Fatal(err)
		}
		_, err = clients.Setup(t.Context(), agents.SetupRequest{
			Targets: []agents.Target{"claude-code"}, Scope: agents.Project, Server: agents.Server{Transport: agents.HTTP, URL: url},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	says := func(when, status string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, f.serverFindings(t)); diff != "" {
			t.Errorf("%s, doctor (-want +got):\n%s", when, diff)
		}
		code, stdout, stderr := f.loam(t, "status")
		if code != 0 || !strings.Contains(stdout+stderr, status) {
			t.Errorf("%s, status is %d and does not say %q: %s%s", when, code, status, stdout, stderr)
		}
	}

	says("nothing was started", "server   stopped", "server: false stopped")
	client("http://127.0.0.1:7878/mcp")
	says("a client was set up", "server   stopped", "server: false stopped",
		"client claude-code (project): true PROJECT/.mcp.json sends it to http://127.0.0.1:7878/mcp, and no server of this project runs")

	held, err := f.services.MCP.Daemon.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	publish := func(version string) {
		if err := held.Publish(daemon.State{Host: "127.0.0.1", Port: port, StartedAt: time.Now().Add(-2 * time.Hour), Version: version}); err != nil {
			t.Fatal(err)
		}
	}
	publish("1.2.3")
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	says("it runs elsewhere", "server   running at "+url+" for 2h0m", "server: false running at "+url+" for 2h0m",
		"client claude-code (project): true PROJECT/.mcp.json sends it to http://127.0.0.1:7878/mcp, and the server listens at "+url)
	client(url)
	says("the client was set up again", "running", "server: false running at "+url+" for 2h0m")

	publish("1.1.0")
	answers = false
	code, stdout, stderr := f.loam(t, "mcp", "status")
	for _, want := range []string{"running", "version   1.1.0", "does not answer", "it has version 1.1.0, this is 1.2.3", "loam mcp stop, then loam mcp start"} {
		if code != 0 || !strings.Contains(stdout+stderr, want) {
			t.Errorf("it is %d and does not say %q: %s%s", code, want, stdout, stderr)
		}
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(string(project.StateFolder(f.dir)), "mcp.json")
	if err := os.WriteFile(state, []byte(fmt.Sprintf(`{"pid":%d,"process":"an earlier one"}`, os.Getpid())), 0o600); err != nil {
		t.Fatal(err)
	}
	says("its process is gone", "loam mcp stop to forget it", "server: true stale: its process is gone",
		"client claude-code (project): true PROJECT/.mcp.json sends it to "+url+", and no server of this project runs")
	var stopped mcp.StoppedDocument
	f.decode(t, &stopped, "mcp", "stop", "--json")
	if diff := cmp.Diff(mcp.StoppedDocument{Was: daemon.Stale, PID: os.Getpid()}, stopped); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
