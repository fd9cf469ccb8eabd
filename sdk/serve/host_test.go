package serve

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// TestUnderGoPlugin starts the connector through go-plugin's own client, with
// mutual TLS as earlier hosts do, and looks at everything that comes out of the process.
func TestUnderGoPlugin(t *testing.T) {
	t.Parallel()
	log, strayOut, strayErr := &output{}, &output{}, &output{}
	cmd := self(t, "connector")
	cmd.Env = append(cmd.Env, wire.EnvLogLevel+"=debug")
	host := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: wire.Handshake, VersionedPlugins: wire.Plugins(nil), Cmd: cmd, SkipHostEnv: true, AutoMTLS: true,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC}, Logger: hclog.NewNullLogger(),
		Stderr: log, SyncStdout: strayOut, SyncStderr: strayErr,
		GRPCDialOptions: wire.DialOptions(),
	})
	t.Cleanup(host.Kill)
	client := dispense(t, host)
	description, err := client.Describe(t.Context(), wire.HostInfo{Version: "1"})
	if err != nil || description.ID != "acme/testdb" || description.Version != "1.2.3" {
		t.Errorf("description %+v, %v", description, err)
	}
	session, err := client.Open(t.Context(), sdk.OpenRequest{ConnectionID: "c", Config: sdk.Config{
		Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(secret)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"print stray words", "log something happened"} {
		if err := execute(t.Context(), session, sql, newCollect()); err != nil {
			t.Fatal(err)
		}
	}
	if err := execute(t.Context(), session, "fail", newCollect()); err == nil || err.Error() != "wrong password [redacted]" {
		t.Errorf("got %v", err)
	}
	eventually(t, "stray output arrives beside the handshake", func() bool {
		return strayOut.String() == "stray words\n" && strayErr.String() == "stray words\n"
	})
	eventually(t, "the log arrives", func() bool { return strings.Contains(log.String(), "something happened") })
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log holds the secret: %s", log)
	}
	checkLogLine(t, log.String())
	host.Kill()
	if !host.Exited() {
		t.Error("the process lives after Kill")
	}
}

func dispense(t *testing.T, host *plugin.Client) *wire.Client {
	t.Helper()
	protocol, err := host.Client()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		t.Fatal(err)
	}
	return raw.(*wire.Client)
}

// checkLogLine wants the line of "log something happened" as hclog writes it.
func checkLogLine(t *testing.T, log string) {
	t.Helper()
	for line := range strings.Lines(log) {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Errorf("no JSON on stderr: %q", line)
			continue
		}
		stamp, _ := got["@timestamp"].(string)
		if _, err := time.Parse("2006-01-02T15:04:05.000000Z07:00", stamp); err != nil {
			t.Errorf("timestamp of %q: %v", line, err)
		}
		if got["@message"] != "something happened" {
			continue
		}
		want := map[string]any{
			"@level": "warn", "connection": "c", "request_id": "r1", "attempt": 2.0, "error": "wrong password [redacted]",
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %v, want %v", key, got[key], value)
			}
		}
	}
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		level string
		want  string
	}{{"", "info warn error"}, {"debug", "debug info warn error"}, {"ERROR", "error"}, {"nonsense", "info warn error"}} {
		t.Run(tc.level, func(t *testing.T) {
			t.Parallel()
			var got []string
			out := &output{}
			log := newLogger(out, tc.level)
			log.Debug("m")
			log.Info("m")
			log.With("k", "v").WithGroup("g").Warn("m", "level", "inner")
			log.Error("m")
			for line := range strings.Lines(out.String()) {
				var entry map[string]any
				if err := json.Unmarshal([]byte(line), &entry); err != nil {
					t.Fatal(err)
				}
				if entry["@message"] != "m" {
					t.Errorf("message of %q", line)
				}
				got = append(got, entry["@level"].(string))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("logged %q, want %q", got, tc.want)
			}
		})
	}
}

func TestServeForADebugger(t *testing.T) {
	t.Parallel()
	cmd := self(t, "connector", "serve", "--debug")
	stderr := &output{}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has mostly exited
	value, ok := strings.CutPrefix(readLine(t, stdout), wire.EnvReattach+"='")
	if !ok || !strings.HasSuffix(value, "'\n") {
		t.Fatalf("got %q", value)
	}
	running, err := wire.DecodeReattach(strings.TrimSuffix(value, "'\n"))
	if err != nil {
		t.Fatal(err)
	}
	at, err := running["acme/testdb"].Config()
	if err != nil {
		t.Fatal(err)
	}
	host := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: wire.Handshake, VersionedPlugins: wire.Plugins(nil), Plugins: wire.Plugins(nil)[wire.ProtocolVersion],
		Reattach: at, AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC}, Logger: hclog.NewNullLogger(),
	})
	client := dispense(t, host)
	session, err := client.Open(t.Context(), sdk.OpenRequest{ConnectionID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	failed := hang(t, session)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("the running statement failed with %v, want kind unavailable", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v; stderr: %s", err, stderr)
	}
	if _, err := os.Stat(running["acme/testdb"].Address); !os.IsNotExist(err) {
		t.Errorf("the socket was left behind (%v)", err)
	}
}

// TestDependencies: what a connector's program carries.
func TestDependencies(t *testing.T) {
	t.Parallel()
	const module = "github.com/loam-data/loam/"
	own := []string{module + "sdk", module + "sdk/dialect"}
	contract := append([]string{module + "sdk/wire", module + "sdk/offspring", module + "sdk/heap", module + "sdk/peer", module + "proto/connector/v1", module + "sdk/serve"}, own...)
	for _, tc := range []struct {
		pkg     string
		own     []string
		foreign []string // modules, or prefixes of packages
	}{
		{"sdk", own, nil},
		{"proto/connector/v1", []string{module + "proto/connector/v1"}, []string{
			"google.golang.org/grpc", "google.golang.org/protobuf", "google.golang.org/genproto/googleapis/rpc/status", "golang.org/x/",
		}},
		{"sdk/serve", contract, []string{
			"google.golang.org/grpc", "google.golang.org/protobuf", "google.golang.org/genproto/googleapis/rpc/status", "golang.org/x/",
			"github.com/hashicorp/go-plugin", "github.com/hashicorp/go-hclog",
			// what go-plugin and hclog bring along
			"github.com/hashicorp/yamux", "github.com/oklog/run", "github.com/golang/protobuf", "github.com/fatih/color",
			"github.com/mattn/go-colorable", "github.com/mattn/go-isatty",
		}},
	} {
		t.Run(tc.pkg, func(t *testing.T) {
			t.Parallel()
			const format = "{{if not .Standard}}{{.ImportPath}}{{end}}"
			out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, module+tc.pkg).Output()
			if err != nil {
				t.Fatal(err)
			}
			for _, dep := range strings.Fields(string(out)) {
				if !allowed(dep, tc.own, tc.foreign) {
					t.Errorf("%s depends on %s", tc.pkg, dep)
				}
			}
		})
	}
}

func allowed(dep string, own, foreign []string) bool {
	for _, pkg := range own {
		if dep == pkg {
			return true
		}
	}
	for _, prefix := range foreign {
		if dep == strings.TrimSuffix(prefix, "/") || strings.HasPrefix(dep, strings.TrimSuffix(prefix, "/")+"/") {
			return true
		}
	}
	return false
}
