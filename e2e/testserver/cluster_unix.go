//go:build unix

package testserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// cluster is a server process and its folder. Both belong to a small shell
// that holds a pipe from this process: when the pipe closes, because of stop or
// because this process ended in whatever way, the shell ends the server by its
// process id and removes the folder.
type cluster struct {
	pipe io.Closer
	done chan struct{} // closed when the shell is gone
	once sync.Once
}

func (c *cluster) stop() {
	c.once.Do(func() { _ = c.pipe.Close() }) // the other end may be gone already
	<-c.done
}

func (c *cluster) stopped() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// watch starts a server (the arguments after the folder) and ends it with
// SIGQUIT, an immediate shutdown, when stdin ends. It exits when the server does.
const watch = `
dir=$1; shift
"$@" >"$dir/log" 2>&1 </dev/null &
server=$!
exec 3<&0
( cat <&3 >/dev/null; kill -QUIT $server ) 2>/dev/null &
watcher=$!
exec 3<&- <&-
wait $server
kill $watcher 2>/dev/null
rm -rf "$dir"
`

const startAttempts = 3 // another process may take the free port in between

func startPostgres(bin string) (*PostgresServer, error) {
	version, err := postgresVersion(bin)
	if err != nil {
		return nil, err
	}
	var failed error
	for range startAttempts {
		s, err := startCluster(bin)
		if err == nil {
			s.Version = versionText(version)
			return s, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func startCluster(bin string) (*PostgresServer, error) {
	dir, err := os.MkdirTemp("", "loampg")
	if err != nil {
		return nil, err
	}
	s, err := startIn(dir, bin)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func startIn(dir, bin string) (*PostgresServer, error) {
	attr, err := serverAccount(dir)
	if err != nil {
		return nil, err
	}
	if err := initCluster(dir, bin, attr); err != nil {
		return nil, err
	}
	if err := writeCertificates(dir, attr.Credential); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	c, err := launch(dir, bin, port, attr)
	if err != nil {
		return nil, err
	}
	s := &PostgresServer{Host: "127.0.0.1", Port: port, SocketDir: dir, CAFile: filepath.Join(dir, caFile), cluster: c}
	s.AdminDSN = s.DSN(PostgresAdmin, "postgres")
	if err := s.prepare(); err != nil {
		log, readErr := os.ReadFile(filepath.Join(dir, "log"))
		c.stop()
		return nil, errors.Join(err, readErr, fmt.Errorf("server log: %s", log))
	}
	return s, nil
}

// serverAccount gives the folder to the account that runs the server: the own
// one, or "postgres" for root, as which the server refuses to run.
func serverAccount(dir string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("running as root needs an account named postgres for the server: %w", err)
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr, os.Chown(dir, int(uid), int(gid))); err != nil {
		return nil, err
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr, nil
}

func initCluster(dir, bin string, attr *syscall.SysProcAttr) error {
	// The password file is read as the server's account; it is no secret.
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte(PostgresPassword+"\n"), 0o644); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", PostgresAdmin,
		"-A", "scram-sha-256", "--pwfile="+password, "--no-sync", "-E", "UTF8", "--locale=C")
	cmd.SysProcAttr, cmd.Dir = attr, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func launch(dir, bin string, port int, attr *syscall.SysProcAttr) (*cluster, error) {
	settings := []string{
		"listen_addresses=127.0.0.1", "fsync=off", "full_page_writes=off", "synchronous_commit=off",
		"autovacuum=off", "max_connections=100", "shared_buffers=64MB", "logging_collector=off",
		"ssl=on", "ssl_cert_file=" + filepath.Join(dir, certFile), "ssl_key_file=" + filepath.Join(dir, keyFile),
	}
	if hasLibrary(bin, "pg_stat_statements") {
		settings = append(settings, "shared_preload_libraries=pg_stat_statements")
	}
	args := []string{
		"-c", watch, "sh", dir, filepath.Join(bin, "postgres"),
		"-D", filepath.Join(dir, "data"), "-p", strconv.Itoa(port), "-k", dir,
	}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command("/bin/sh", args...)
	cmd.SysProcAttr, cmd.Dir = attr, dir
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &cluster{pipe: pipe, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		_ = cmd.Wait() // the server's end is what was asked for
	}()
	return c, nil
}

// hasLibrary reports whether the server can load a contrib module: pg_config
// knows where they are, and may itself not be there.
func hasLibrary(bin, name string) bool {
	folders := []string{filepath.Join(bin, "../lib/postgresql"), filepath.Join(bin, "../lib")}
	if out, err := exec.Command(filepath.Join(bin, "pg_config"), "--pkglibdir").Output(); err == nil {
		folders = append(folders, string(bytes.TrimSpace(out)))
	}
	for _, folder := range folders {
		// The pattern is well-formed, which is all that could be wrong.
		if found, _ := filepath.Glob(filepath.Join(folder, name+".*")); len(found) > 0 { // .so, .dylib
			return true
		}
	}
	return false
}

// prepare waits for the server and creates the roles.
func (s *PostgresServer) prepare() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := s.await(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, role := range []string{PostgresOwner, PostgresWriter, PostgresReader} {
		if _, err := conn.Exec(ctx, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", role, PostgresPassword)); err != nil {
			return err
		}
	}
	return nil
}

func (s *PostgresServer) await(ctx context.Context) (*pgx.Conn, error) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.AdminDSN)
		if err == nil {
			return conn, nil
		}
		select {
		case <-tick.C:
		case <-s.cluster.done:
			return nil, fmt.Errorf("the server ended while starting: %w", err)
		case <-ctx.Done():
			return nil, fmt.Errorf("the server did not answer: %w", err)
		}
	}
}
