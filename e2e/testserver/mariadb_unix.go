//go:build unix

package testserver

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
)

// careless are the options of a server whose data may be lost.
var careless = []string{
	"--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-flush-method=nosync",
	"--debug-no-sync", // what stores tables and their log outside InnoDB
}

func startMariaDB(found *mariaDBPrograms, options []string) (*MariaDBServer, error) {
	var failed error
	for range startAttempts {
		s, err := startMariaDBOnce(found, options)
		if err == nil {
			return s, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func startMariaDBOnce(found *mariaDBPrograms, options []string) (*MariaDBServer, error) {
	dir, err := os.MkdirTemp("", "loammy")
	if err != nil {
		return nil, err
	}
	s, err := startMariaDBIn(dir, found, options)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func startMariaDBIn(dir string, found *mariaDBPrograms, options []string) (*MariaDBServer, error) {
	attr, err := serverAccount(dir, "mysql", "nobody")
	if err != nil {
		return nil, err
	}
	if err := installData(dir, found.install, attr, func(dir string) error { return installMariaDB(dir, found, attr) }); err != nil {
		return nil, err
	}
	if err := writeCertificates(dir, attr.Credential); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	s := &MariaDBServer{
		Host: "127.0.0.1", Port: port, Socket: file("socket"), CAFile: file(caFile),
		ClientCert: file(clientCertFile), ClientKey: file(clientKeyFile), Version: found.version,
		limit: statementLimit,
	}
	command := append([]string{
		found.server, "--no-defaults", "--datadir=" + file("data"), "--tmpdir=" + dir,
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port), "--socket=" + s.Socket, "--pid-file=" + file("pid"),
		"--ssl-ca=" + s.CAFile, "--ssl-cert=" + file(certFile), "--ssl-key=" + file(keyFile),
		"--skip-name-resolve", "--skip-log-bin", "--local-infile=1", "--plugin-load-add=auth_ed25519", "--plugin-load-add=ha_federatedx",
		"--performance-schema=ON", "--max-connections=200", "--innodb-buffer-pool-size=64M", "--key-buffer-size=8M",
		"--character-set-server=utf8mb4", "--default-time-zone=+05:30", "--group-concat-max-len=64",
	}, careless...)
	if s.process, err = startProcess(dir, attr, "KILL", append(command, options...)...); err != nil {
		return nil, err
	}
	if err := s.prepare(found); err != nil {
		log, readErr := os.ReadFile(file("log"))
		s.process.stop()
		return nil, errors.Join(err, readErr, fmt.Errorf("server log: %s", log))
	}
	return s, nil
}

// installMariaDB makes the data folder. Its only account is root, over the
// socket and without a password.
func installMariaDB(dir string, found *mariaDBPrograms, attr *syscall.SysProcAttr) error {
	cmd := exec.Command(found.install, append([]string{
		"--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--auth-root-authentication-method=normal",
		"--skip-test-db", "--skip-name-resolve",
	}, careless...)...)
	cmd.SysProcAttr, cmd.Dir = attr, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", found.install, err, bytes.TrimSpace(out))
	}
	return nil
}

// prepare waits for the server, loads two time zones and creates the accounts.
func (s *MariaDBServer) prepare(found *mariaDBPrograms) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	root := mysql.NewConfig()
	root.User, root.Net, root.Addr, root.DBName, root.MultiStatements = "root", "unix", s.Socket, "mysql", true
	root.Logger = &mysql.NopLogger{} // of the attempts before the server listens
	connector, err := mysql.NewConnector(root)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(connector)
	defer pool.Close()
	if err := s.await(ctx, s.process.done, pool.PingContext); err != nil {
		return err
	}
	zones, err := zoneScript(found)
	if err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString(zones)
	for _, account := range []string{MariaDBAdmin, MariaDBOwner, MariaDBWriter, MariaDBReader} {
		fmt.Fprintf(&script, "CREATE USER %s IDENTIFIED BY '%s';", account, MariaDBPassword)
	}
	fmt.Fprintf(&script, "CREATE USER %s REQUIRE SUBJECT '/CN=loam test client';", MariaDBCertified)
	fmt.Fprintf(&script, "GRANT ALL ON *.* TO %s WITH GRANT OPTION; GRANT PROXY ON ''@'%%' TO %[1]s WITH GRANT OPTION;", MariaDBAdmin)
	_, err = pool.ExecContext(ctx, script.String())
	return err
}

// zoneScript fills the server's tables of time zones with the two that tests use.
func zoneScript(found *mariaDBPrograms) (string, error) {
	if found.zones == "" {
		return "", nil
	}
	var script strings.Builder
	for _, zone := range []string{"Europe/Berlin", "Asia/Kolkata"} {
		out, err := exec.Command(found.zones, filepath.Join("/usr/share/zoneinfo", zone), zone).Output()
		if err != nil {
			return "", fmt.Errorf("%s: %w", found.zones, err)
		}
		script.Write(out)
	}
	return script.String(), nil
}
