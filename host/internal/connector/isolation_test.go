//go:build linux

package connector

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironmentIsAnAllowList(t *testing.T) {
	t.Parallel()
	host := []string{
		"PATH=/bin", "HOME=/root", "TMPDIR=/t", "LANG=C", "LC_ALL=C", "TZ=UTC", "SSL_CERT_FILE=f", "SSL_CERT_DIR=d",
		"HTTPS_PROXY=p", "https_proxy=p", "No_Proxy=n", "XDG_DATA_HOME=x", "WANTED=w",
		"HTTP_PROXY=http://ann:s@proxy:3128", "ALL_PROXY=s:s://s@proxy", "ftp_proxy=http://a:s/s@s@proxy/s@proxy", "FOO_PROXY=http://ann:pass@proxy",
		"PGPASSWORD=s", "AWS_SECRET_ACCESS_KEY=s", "SSH_AUTH_SOCK=s", "GOMEMLIMIT=1", "LD_PRELOAD=s", "path=s", "LOAM_REATTACH=s", "LOAM_MCP_TOKEN=s", "loam_x=s", "LOAM_PROXY=s", "LANGUAGE=s",
	}
	got := Environment(host, []string{"WANTED", "UNSET", "FOO_PROXY", "LOAM_MCP_TOKEN"}, 1000)
	var names []string
	for _, entry := range got {
		name, value, _ := strings.Cut(entry, "=")
		if value == "s" || strings.Contains(value, "s@") && name != "FOO_PROXY" {
			t.Errorf("%s was passed on", name)
		}
		names = append(names, name)
	}
	want := []string{
		"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"HTTPS_PROXY", "https_proxy", "No_Proxy", "XDG_DATA_HOME", "WANTED",
		"HTTP_PROXY", "ALL_PROXY", "ftp_proxy", "FOO_PROXY", "GOMEMLIMIT", "GOMAXPROCS",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, entry := range []string{"HTTP_PROXY=http://proxy:3128", "ALL_PROXY=proxy", "ftp_proxy=http://proxy", "FOO_PROXY=http://ann:pass@proxy"} {
		if !slices.Contains(got, entry) {
			t.Errorf("no %s in %v", entry, got)
		}
	}
	if !slices.Contains(got, "GOMEMLIMIT=800") {
		t.Errorf("no limit of 80 %% in %v", got)
	}
}

// A connector sees nothing of the host's environment and standard input. The
// test is not parallel: both belong to the whole process.
func TestHostsEnvironmentAndInputArePrivate(t *testing.T) {
	t.Setenv("CANARY_PASSWORD", "canary-in-the-environment")
	t.Setenv("CHAOS_WANTED", "passed on by name")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(r, w)
	if _, err := w.WriteString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"canary\"}\n"); err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	t.Cleanup(func() { os.Stdin = stdin })

	rig := newRig(t, "chaos")
	env := rig.mustRun(t, "environ")
	if all := strings.Join(env, "\n"); strings.Contains(all, "canary") || !strings.Contains(all, "CHAOS_WANTED=passed on by name") {
		t.Errorf("the connector's environment:\n%s", all)
	}
	if got := rig.mustRun(t, "stdin"); got[0] != "" {
		t.Errorf("the connector read %q", got[0])
	}
	line := make([]byte, 100)
	if n, err := r.Read(line); err != nil || !strings.Contains(string(line[:n]), "canary") {
		t.Errorf("the host reads %q, %v; want its request", line[:n], err)
	}
}

func TestProcessHasAGroupOfItsOwnAndNoCoreDump(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	pid := strconv.Itoa(r.pidAfter(t, "warm"))
	if diff := cmp.Diff([]string{pid, pid, "0"}, r.mustRun(t, "process")); diff != "" {
		t.Errorf("pid, group, core limit (-want +got):\n%s", diff)
	}
}

func (r *rig) pidAfter(t *testing.T, sql string) int {
	t.Helper()
	r.mustRun(t, sql)
	return r.pid(t)
}

func TestStrayOutputNeverReachesTheHostsOutput(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	r.mustRun(t, "print stray text")
	r.log.await(t, `"level":"WARN","msg":"connector prints outside its log","connector":"chaos","stream":"stdout"`)
	r.log.await(t, `"level":"WARN","msg":"connector prints outside its log","connector":"chaos","stream":"stderr"`)
	r.log.await(t, `"level":"DEBUG","msg":"stray output","connector":"chaos","stream":"stdout","text":"stray text"`)
}

func TestLogOfAConnector(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	r.mustRun(t, `log {"@level":"error","@message":"entry","request_id":"r1"}`)
	r.log.await(t, `"level":"ERROR","msg":"entry","connector":"chaos","request_id":"r1"`)
	r.mustRun(t, `log {"@message":{"not":"a string"}}`) // would end a host that used go-plugin's parser
	r.mustRun(t, "log long")
	r.log.await(t, `"cut":true`)
	r.mustRun(t, "log secret")
	r.log.await(t, "password is [redacted]")
	r.mustRun(t, "still here")
	if strings.Contains(r.log.String(), password) {
		t.Error("the log holds the secret")
	}
}
