//go:build unix

package testserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

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
	attr, err := serverAccount(dir, "postgres")
	if err != nil {
		return nil, err
	}
	if err := installData(dir, bin, attr, func(dir string) error { return initCluster(dir, bin, attr) }); err != nil {
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
	s := &PostgresServer{Host: "127.0.0.1", Port: port, SocketDir: dir, CAFile: filepath.Join(dir, caFile), process: c, limit: statementLimit}
	s.AdminDSN = s.DSN(PostgresAdmin, "postgres")
	if err := s.prepare(); err != nil {
		log, readErr := os.ReadFile(filepath.Join(dir, "log"))
		c.stop()
		return nil, errors.Join(err, readErr, fmt.Errorf("server log: %s", log))
	}
	return s, nil
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

func launch(dir, bin string, port int, attr *syscall.SysProcAttr) (*process, error) {
	settings := []string{
		"listen_addresses=127.0.0.1", "fsync=off", "full_page_writes=off", "synchronous_commit=off",
		"autovacuum=off", "max_connections=100", "shared_buffers=64MB", "logging_collector=off",
		"ssl=on", "ssl_cert_file=" + filepath.Join(dir, certFile), "ssl_key_file=" + filepath.Join(dir, keyFile),
	}
	if hasLibrary(bin, "pg_stat_statements") {
		// The tests of a package make more statements than the 5,000 that it keeps by itself.
		settings = append(settings, "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.max=50000")
	}
	args := []string{filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data"), "-p", strconv.Itoa(port), "-k", dir}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return startProcess(dir, attr, "QUIT", args...) // an immediate shutdown
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
		case <-s.process.done:
			return nil, fmt.Errorf("the server ended while starting: %w", err)
		case <-ctx.Done():
			return nil, fmt.Errorf("the server did not answer: %w", err)
		}
	}
}
