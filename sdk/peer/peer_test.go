//go:build linux || darwin

package peer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/stats"
)

// Roles of the test program as another process, with the socket's path as its argument.
const (
	envRole = "LOAM_PEER_TEST_ROLE"
	envUser = "LOAM_PEER_TEST_USER" // a user id to become first
	dials   = "dials"
	listens = "listens"
	parents = "parents" // starts one that listens, in its own process group

	nobody = 65534
)

func TestMain(m *testing.M) {
	role := os.Getenv(envRole)
	if role == "" {
		os.Exit(m.Run())
	}
	if os.Getenv(envUser) != "" {
		must(syscall.Setuid(nobody))
	}
	path := os.Args[1]
	switch role {
	case dials:
		conn, err := net.Dial("unix", path)
		must(err)
		_, err = conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
		fmt.Println("dialed", err == nil)
		read, _ := io.Copy(io.Discard, conn) // a reset is an end too
		fmt.Println("read", read)
	case listens:
		listener, err := net.Listen("unix", path)
		must(err)
		must(os.Chmod(path, 0o777))
		fmt.Println("listening")
		conn, err := listener.Accept()
		must(err)
		read, _ := io.Copy(io.Discard, conn)
		fmt.Println("read", read)
	case parents:
		cmd := exec.Command(os.Args[0], path)
		cmd.Env = append(os.Environ(), envRole+"="+listens)
		cmd.Stdout = os.Stdout
		must(cmd.Run())
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// other is another process that plays a role.
type other struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func start(t *testing.T, role, socket string, user bool) *other {
	t.Helper()
	cmd := exec.Command(os.Args[0], socket) //nolint:noctx // it ends with its connection
	cmd.Env = append(os.Environ(), envRole+"="+role)
	if user {
		cmd.Env = append(cmd.Env, envUser+"=1")
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", role, err)
		}
	})
	return &other{cmd: cmd, out: bufio.NewReader(out)}
}

func (o *other) says(t *testing.T, want string) {
	t.Helper()
	if line, err := o.out.ReadString('\n'); err != nil || line != want+"\n" {
		t.Errorf("it says %q, %v; want %q", line, err, want)
	}
}

// socketPath is in a folder with a short path that every user may enter.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "peer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "s")
}

// refusals keeps why connections were refused.
type refusals chan error

func (r refusals) refuse(err error) {
	select {
	case r <- err:
	default:
	}
}

func (r refusals) says(t *testing.T, want string) {
	t.Helper()
	select {
	case err := <-r:
		if !strings.Contains(err.Error(), want) {
			t.Errorf("refused with %q, want %q", err, want)
		}
	case <-t.Context().Done():
		t.Error("nothing was refused")
	}
}

// calls counts the connections and calls that reach a server.
type calls struct{ atomic.Int64 }

func (c *calls) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	c.Add(1)
	return ctx
}
func (c *calls) HandleRPC(context.Context, stats.RPCStats) {}
func (c *calls) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	c.Add(1)
	return ctx
}
func (c *calls) HandleConn(context.Context, stats.ConnStats) {}

// serve listens at a socket as a server that takes the processes of a condition.
func serve(t *testing.T, accept func(int) bool) (path string, seen *calls, refused refusals) {
	t.Helper()
	path, seen, refused = socketPath(t), &calls{}, make(refusals, 1)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(append(ServerOptions(accept, refused.refuse), grpc.StatsHandler(seen))...)
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(listener); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	return path, seen, refused
}

// check calls a server that has to meet a condition.
func check(t *testing.T, path string, accept func(int) bool) (refused refusals, err error) {
	t.Helper()
	refused = make(refusals, 1)
	conn, err := grpc.NewClient("unix:"+path, DialOptions(accept, refused.refuse)...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, err = grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	return refused, err
}

func TestExpectedProcessesTalk(t *testing.T) {
	t.Parallel()
	path, seen, _ := serve(t, Is(os.Getpid()))
	if _, err := check(t, path, Is(os.Getpid())); err != nil {
		t.Error(err)
	}
	if seen.Load() == 0 {
		t.Error("the server saw no call")
	}
}

func TestServerRefusesAnotherProcess(t *testing.T) {
	t.Parallel()
	path, seen, refused := serve(t, Is(os.Getpid()))
	stranger := start(t, dials, path, false)
	refused.says(t, fmt.Sprintf("process %d is at the other end of the socket, which is for another process", stranger.cmd.Process.Pid))
	stranger.readsNothing(t)
	if seen.Load() != 0 {
		t.Error("the server saw the connection")
	}
}

// readsNothing is about one that dialed; what it wrote may have found the socket closed.
func (o *other) readsNothing(t *testing.T) {
	t.Helper()
	if _, err := o.out.ReadString('\n'); err != nil {
		t.Error(err)
	}
	o.says(t, "read 0")
}

func TestClientRefusesAnotherProcess(t *testing.T) {
	t.Parallel()
	path := socketPath(t)
	stranger := start(t, listens, path, false)
	stranger.says(t, "listening")
	refused, err := check(t, path, Is(os.Getpid()))
	if err == nil || !strings.Contains(err.Error(), "for another process") {
		t.Errorf("the call ends with %v", err)
	}
	refused.says(t, fmt.Sprintf("process %d is", stranger.cmd.Process.Pid))
	stranger.says(t, "read 0")
}

func TestOtherUsersAreRefused(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	t.Run("by a server", func(t *testing.T) {
		t.Parallel()
		path, seen, refused := serve(t, Any)
		stranger := start(t, dials, path, true)
		refused.says(t, "of user 65534 is at the other end of the socket, which is for user 0")
		stranger.readsNothing(t)
		if seen.Load() != 0 {
			t.Error("the server saw the connection")
		}
	})
	t.Run("by a client", func(t *testing.T) {
		t.Parallel()
		path := socketPath(t)
		stranger := start(t, listens, path, true)
		stranger.says(t, "listening")
		refused, err := check(t, path, Any)
		if err == nil {
			t.Error("the call is answered")
		}
		refused.says(t, "of user 65534")
		stranger.says(t, "read 0")
	})
}

// TestIsChild: a process may be started by a script that stays its parent.
func TestIsChild(t *testing.T) {
	t.Parallel()
	path := socketPath(t)
	parent := start(t, parents, path, false)
	parent.says(t, "listening")
	pid := parent.cmd.Process.Pid
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	who, err := identify(conn)
	if err != nil || who.pid == pid || !IsChild(pid)(who.pid) || !IsChild(pid)(pid) {
		t.Errorf("%+v, %v; want a child of %d", who, err, pid)
	}
	if IsChild(pid)(os.Getpid()) || IsChild(pid)(0) {
		t.Error("this process passes as its child")
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	parent.says(t, "read 0")
}

func TestOtherConnectionsAreRefused(t *testing.T) {
	t.Parallel()
	one, two := net.Pipe()
	defer func() { _, _ = one.Close(), two.Close() }() // pipes in memory
	if _, _, err := (&gate{accept: Any, refused: func(error) {}}).ServerHandshake(one); err == nil {
		t.Error("a connection that is no socket passes")
	}
}
