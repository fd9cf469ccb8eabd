// Package daemon manages the MCP server that serves a project in the background: it
// starts the process detached from the terminal, finds its address and its log, and
// ends it. A project has at most one.
//
// Two files identify the process. The daemon keeps the lock until it ends in any way;
// whoever has the lock is the daemon. The state file has the other facts, and remains
// when the daemon is killed. A process is the daemon only if it has the id and the
// start time of the file, so that no other process is signalled.
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

// Phase is where a project's daemon is in its life.
type Phase string

const (
	Stopped Phase = "stopped"
	Running Phase = "running"
	// Stale: there is a state file, and its process is gone.
	Stale Phase = "stale"
	// Unknown: a process has the lock, and its state file does not name one of
	// this machine: it is just starting or ending, or runs in another container.
	Unknown Phase = "unknown"
)

// State is what a daemon says of itself. Nothing in it is secret.
type State struct {
	PID int `json:"pid"`
	// Process tells the process from a later one with the same id.
	Process   string    `json:"process"`
	Host      string    `json:"host"` // listened on
	Port      int       `json:"port"`
	StartedAt time.Time `json:"startedAt"`
	Version   string    `json:"version"`
	// Foreground: it belongs to a terminal or a service manager, and so does its log.
	Foreground bool `json:"foreground"`
	// Flags are those it was started with, as --name=value, but the token.
	Flags    []string `json:"flags"`
	Toolsets []string `json:"toolsets"`
	Live
}

// Live is the part of a State that changes while the daemon runs.
type Live struct {
	// Token: every request must carry one.
	Token      bool        `json:"token"`
	Sessions   int         `json:"sessions"`
	Connectors []Connector `json:"connectors"`
	// Calls are the connections with calls under way, by id.
	Calls map[string]Calls `json:"calls,omitempty"`
}

// Calls counts those of a connection.
type Calls struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"` // for a slot
}

// Connector is a connector program of the daemon.
type Connector struct {
	Name string `json:"name"`
	// Connection is the one it is for alone, "" when it is shared.
	Connection string `json:"connection,omitempty"`
	State      string `json:"state"`
	// Open are the connections that are open in it.
	Open []string `json:"open"`
	PID  int      `json:"pid,omitempty"` // 0 = none runs
	// NextStart is when one that failed is started again at the earliest, and
	// Failure why it failed; zero when it did not.
	NextStart time.Time `json:"nextStart,omitzero"`
	Failure   string    `json:"failure,omitempty"`
	Process   string    `json:"process,omitempty"`
}

// URL is where clients of this machine find the endpoint.
func (s *State) URL(path string) string { return url(s.Host, s.Port, path) }

// url names an address that can be dialled: one that is listened on for every
// address of the machine cannot.
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

// Daemon is the daemon of one project, running or not.
// Concurrency: any number of goroutines and processes.
type Daemon struct {
	dir     string
	logSize int64
}

// New returns the daemon that keeps its files in dir, which need not exist.
func New(dir string) *Daemon { return &Daemon{dir: dir, logSize: logSize} }

func (d *Daemon) statePath() string { return filepath.Join(d.dir, "mcp.json") }
func (d *Daemon) lockPath() string  { return filepath.Join(d.dir, "mcp.lock") }

// LogPath is the file that the daemon logs to.
func (d *Daemon) LogPath() string { return filepath.Join(d.dir, "logs", "mcp.log") }

const (
	// poll is how often another process is looked at that is waited for.
	poll = 10 * time.Millisecond
	// glance is how long a lock is tried that others may have for a moment to see
	// whether it is free.
	glance = 100 * time.Millisecond
)

// Look tells where the daemon is in its life.
// Shape: the state is not nil when it runs; when it is stale, it is that of the
// process that is gone, nil for a file that cannot be understood.
// Errors: KindDenied for files that cannot be read; those of ctx.
func (d *Daemon) Look(ctx context.Context) (Phase, *State, error) {
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

// read returns what the state file says, nil when it says nothing sensible.
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
		return nil, true, nil //nolint:nilerr // whatever is wrong with it, it names no process
	}
	return state, true, nil
}

// alive reports whether the process runs that is meant.
func alive(pid int, process string) bool {
	now, err := identify(pid)
	return err == nil && now != "" && now == process
}

// find returns the process that is meant, nil when it is gone. Where the system
// has handles of processes, it cannot become another one afterwards.
func find(pid int, process string) (*os.Process, error) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil, nil //nolint:nilerr // it is gone
	}
	if !alive(pid, process) {
		return nil, p.Release()
	}
	return p, nil
}

// clean removes the state file if it is still that of the process which is gone.
func (d *Daemon) clean(ctx context.Context, gone *State) error {
	unlock, err := file.Wait(ctx, d.lockPath(), glance)
	if err != nil {
		return d.denied(err)
	}
	if unlock == nil {
		return nil // another daemon has come
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
