//go:build linux

package connector

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// The test is not parallel: the environment belongs to the whole process.
func TestConnectorUnderADebuggerIsUsedAndLeftAlone(t *testing.T) {
	c := install(t, "chaos", nil)
	debugged := exec.Command(c.Binary, "serve", "--debug")
	out, err := debugged.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := debugged.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := debugged.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = debugged.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
	t.Setenv(name, strings.Trim(value, "'"))

	for range 2 { // one host after the other
		r := newRig(t, "chaos")
		// Neither its checksum nor its description matters now.
		replace(t, r.target.Installed.Binary, []byte("rebuilt a moment ago"))
		r.target.Installed.Description.Version = "9.9.9"
		if got := r.mustRun(t, "process")[0]; got != strconv.Itoa(debugged.Process.Pid) {
			t.Errorf("the call ran in process %s, want %d", got, debugged.Process.Pid)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if !alive(debugged.Process.Pid) {
			t.Fatal("the host ended a process that was not its own")
		}
	}
}

func TestReattachThatLeadsNowhere(t *testing.T) {
	gone, err := wire.EncodeReattach(map[string]wire.Reattach{"chaos": {Protocol: 1, PID: os.Getpid(), Network: "unix", Address: "/nowhere.sock"}})
	if err != nil {
		t.Fatal(err)
	}
	future, err := wire.EncodeReattach(map[string]wire.Reattach{"chaos": {Protocol: 2, PID: 1, Network: "unix", Address: "/nowhere.sock"}})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		value string
		want  sdk.Kind
	}{
		"nobody listens":    {gone, sdk.KindUnavailable},
		"another major":     {future, sdk.KindUnsupported},
		"nonsense":          {"{", sdk.KindInvalid},
		"another connector": {`{"other":{}}`, ""},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv(wire.EnvReattach, test.value)
			r := newRig(t, "chaos")
			_, err := r.run(t.Context(), "x")
			if sdk.KindOf(err) != test.want {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if err != nil && !strings.Contains(err.Error(), wire.EnvReattach) && test.want != sdk.KindUnsupported {
				t.Errorf("error %v does not name %s", err, wire.EnvReattach)
			}
		})
	}
}
