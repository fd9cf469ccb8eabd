//go:build linux

package connector

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// envActAsHost makes the test program a host that runs the connector of the
// given manifest, tells its process id and waits to be killed.
const envActAsHost = "LOAM_TEST_ACT_AS_HOST"

func actAsHost(request string) {
	var ask struct{ Path, SQL string }
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.Unmarshal([]byte(request), &ask); err != nil {
		fail(err)
	}
	c, err := NewRegistry(nil).Find("chaos", ask.Path)
	if err != nil {
		fail(err)
	}
	s := New(Config{})
	lease, err := s.Lease(context.Background(), chaosTarget(c))
	if err != nil {
		fail(err)
	}
	fmt.Println(s.pids()[0])
	w := sdk.NewRowWriter(&sink{}, sdk.Limits{})
	fail(lease.Session.Execute(context.Background(), sdk.ExecuteRequest{SQL: ask.SQL}, w))
}

func TestNoConnectorOutlivesItsHost(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := install(t, "chaos", nil)
	sqls := []string{"hang", "hang hard", "slow", "stop"}
	for i := range 10 {
		sql := sqls[i%len(sqls)]
		request, err := json.Marshal(map[string]string{"Path": c.Binary, "SQL": sql})
		if err != nil {
			t.Fatal(err)
		}
		host := exec.Command(self)
		host.Env = append(os.Environ(), envActAsHost+"="+string(request))
		out, err := host.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdin, err := host.StdinPipe() // as an MCP client holds it
		if err != nil {
			t.Fatal(err)
		}
		if err := host.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		if _, err := fmt.Fscan(bufio.NewReader(out), &pid); err != nil {
			t.Fatal(err)
		}
		if sql == "stop" {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		if err := host.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if sql == "stop" { // it cannot clean up before it goes on; the kernel may have seen to that
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
		}
		t.Logf("%s: process %d", sql, pid)
		awaitEnd(t, pid)
		_ = host.Wait() // it was killed
		_ = stdin.Close()
	}
}
