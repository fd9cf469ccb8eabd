// Package daemon manages the MCP server that serves a project in the background: it
// starts the process detached from the terminal, finds its address and its log, and
// ends it. A project has at most one.
//
// Two files identify the process. The process that has the lock is the daemon; the system
// releases the lock when it ends, even if it is killed. The state file has the other facts,
// and remains when the daemon is killed. Only a process with the id and the start time of the
// state file is treated as the daemon, so that no other process is signalled.
package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// Phase is the condition of a project's daemon.
type Phase string

const (
	Stopped Phase = "stopped"
	Running Phase = "running"
	// Stale: there is a state file, but its process has ended.
	Stale Phase = "stale"
	// Unknown: a process has the lock, but the state file names no running process of this
	// machine. The daemon is starting or ending, or runs in another container.
	Unknown Phase = "unknown"
)

// State is the content of the state file. It contains no secrets.
type State struct {
	PID int `json:"pid"`
	// Process is the start time of the process: a later process with the same id has another.
	Process   string    `json:"process"`
	Host      string    `json:"host"` // listened on
	Port      int       `json:"port"`
	StartedAt time.Time `json:"startedAt"`
	Version   string    `json:"version"`
	// Foreground: a terminal or a service manager started it and gets its log.
	Foreground bool `json:"foreground"`
	// Flags are its command-line flags as --name=value, except the token.
	Flags    []string `json:"flags"`
	Toolsets []string `json:"toolsets"`
	// Console is how it serves the console; nil = its version has none.
	Console *Console `json:"console,omitempty"`
	Live
}

// Console is how a server serves the console.
type Console struct {
	// Path is the path of the console on the server.
	Path string `json:"path"`
	// Token is the reference of console.token when the server was started; "" = there was none. A variable that it
	// names later is not in the server's environment.
	Token string `json:"token,omitempty"`
}

// Live is the part of a State that changes while the daemon runs.
type Live struct {
	// Token says that every request needs a token.
	Token      bool        `json:"token"`
	Sessions   int         `json:"sessions"`
	Connectors []Connector `json:"connectors"`
	// Calls has the connections that are running or queueing calls, by connection id.
	Calls map[string]Calls `json:"calls,omitempty"`
}

// Calls counts the current calls of a connection.
type Calls struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"` // for a slot
}

// Connector is a connector process of the daemon.
type Connector struct {
	Name string `json:"name"`
	// Connection is the only connection that it serves; "" = it serves several.
	Connection string `json:"connection,omitempty"`
	State      string `json:"state"`
	// Open are the ids of the connections that are open in it.
	Open []string `json:"open"`
	PID  int      `json:"pid,omitempty"` // 0 = it does not run
	// Failure says why it failed, NextStart is the earliest time of the next start; zero = it
	// did not fail.
	NextStart time.Time `json:"nextStart,omitzero"`
	Failure   string    `json:"failure,omitempty"`
	Process   string    `json:"process,omitempty"` // as of State
}

// URL returns the URL of a path of the server, for clients on this machine.
func (s *State) URL(path string) string { return url(s.Host, s.Port, path) }

// ConsoleURL returns the URL of the console, for people on this machine; "" = the server's version has none.
func (s *State) ConsoleURL() string {
	if s.Console == nil {
		return ""
	}
	return s.URL(s.Console.Path)
}

// url returns a URL that can be dialled: an unspecified address (0.0.0.0, ::) becomes the
// loopback address.
func url(host string, port int, path string) string {
	switch ip := net.ParseIP(host); {
	case ip == nil || !ip.IsUnspecified():
	case ip.To4() != nil:
		host = "127.0.0.1"
	default:
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port)) + path
}

// Daemon is the daemon of one project, whether it runs or not.
// Concurrency: its methods may be called concurrently, also by several processes.
type Daemon struct {
	dir     string
	logSize int64
}

// New returns the daemon with its files in dir, which need not exist.
func New(dir string) *Daemon { return &Daemon{dir: dir, logSize: logSize} }

func (d *Daemon) statePath() string { return filepath.Join(d.dir, "mcp.json") }
func (d *Daemon) lockPath() string  { return filepath.Join(d.dir, "mcp.lock") }

// LogPath returns the path of the log.
func (d *Daemon) LogPath() string { return filepath.Join(d.dir, "logs", "mcp.log") }

const (
	// poll is the interval at which another process is checked while this one waits for it.
	poll = 10 * time.Millisecond
	// glance bounds the wait for the lock when another process may be checking it, too.
	glance = 100 * time.Millisecond
)

// Status returns the phase of the daemon, and its state.
// Shape: the state is set when the phase is Running, and when it is Stale and the state file
// is readable; else it is nil.
// Errors: KindDenied for files that cannot be read; those of ctx.
func (d *Daemon) Status(ctx context.Context) (Phase, *State, error) {
	state, found, err := d.read()
	switch {
	case err != nil:
		return Unknown, nil, err
	case !found:
		return Stopped, nil, nil
	case state != nil && alive(state.PID, state.Process):
		return Running, state, nil
	}
	unlock, err := file.Wait(ctx, d.lockPath(), glance)
	switch {
	case err != nil:
		return Unknown, nil, d.denied(err)
	case unlock == nil:
		return Unknown, nil, nil
	}
	if err := unlock(); err != nil {
		return Unknown, nil, d.denied(err)
	}
	return Stale, state, nil
}

// read returns the content of the state file; found with a nil state means that it names no
// process.
func (d *Daemon) read() (state *State, found bool, err error) {
	text, err := os.ReadFile(d.statePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, d.denied(err)
	}
	state = &State{}
	if err := json.Unmarshal(text, state); err != nil || state.PID <= 0 || state.Process == "" {
		return nil, true, nil //nolint:nilerr // a damaged file names no process
	}
	return state, true, nil
}

// alive reports whether the process with this id and start time runs.
func alive(pid int, process string) bool {
	now, err := identify(pid)
	return err == nil && now != "" && now == process
}

// find returns the process with this id and start time; nil when it has ended. Where the
// system has process handles, the result cannot refer to a later process with the same id.
func find(pid int, process string) (*os.Process, error) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil, nil //nolint:nilerr // it has ended
	}
	if !alive(pid, process) {
		return nil, p.Release()
	}
	return p, nil
}

// clean removes the state file if it still is that of the ended process.
func (d *Daemon) clean(ctx context.Context, gone *State) error {
	unlock, err := file.Wait(ctx, d.lockPath(), glance)
	if err != nil {
		return d.denied(err)
	}
	if unlock == nil {
		return nil // another daemon has started
	}
	now, found, err := d.read()
	if err == nil && found && (now == nil) == (gone == nil) && (now == nil || now.Process == gone.Process) {
		err = d.remove()
	}
	return errors.Join(err, unlock())
}

// remove removes the state file. The caller has the lock.
func (d *Daemon) remove() error {
	if err := os.Remove(d.statePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.denied(err)
	}
	return nil
}

func (d *Daemon) denied(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the files of the daemon in %s: %w", d.dir, err).
		WithHint("make the folder writable for this user")
}
