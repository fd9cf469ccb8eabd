package connector

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/peer"
)

// The kernel's limit of a socket's path is 108 bytes on Linux and 104 on macOS, including the
// final zero. Below the host's folder there are a folder and a socket with random decimal
// numbers: "/plugin-dir1234567890/plugin1234567890".
const (
	maxSocketPath  = 100
	socketPathRest = len("/plugin-dir") + 10 + len("/plugin") + 10
)

// socketDir is the folder of one host's sockets. The host has its lock as long as it runs, so that
// other hosts can recognise and remove folders of hosts that have ended.
type socketDir struct {
	once sync.Once
	path string
	lock *os.File
	err  error
}

// open returns the folder, and creates it at the first call.
func (d *socketDir) open() (string, error) {
	d.once.Do(func() {
		if runtime.GOOS == "windows" {
			return // TCP with mutual TLS instead of sockets
		}
		d.path, d.lock, d.err = makeSocketDir(socketBases())
	})
	return d.path, d.err
}

// close removes the folder. All programs must have ended.
func (d *socketDir) close() error {
	d.once.Do(func() {})
	if d.lock == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(d.path), d.lock.Close())
}

// socketBases returns the possible parents of the folder, best first.
func socketBases() []string {
	var bases []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		bases = append(bases, filepath.Join(dir, "loam"))
	}
	user := "loam-" + strconv.Itoa(os.Getuid())
	return append(bases, filepath.Join(os.TempDir(), user), filepath.Join("/tmp", user))
}

func makeSocketDir(bases []string) (string, *os.File, error) {
	var problems []error
	for _, base := range bases {
		if len(base)+len("/h1234567890")+socketPathRest > maxSocketPath {
			problems = append(problems, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is too long a path for sockets", base))
			continue
		}
		path, lock, err := makeOwnDir(base)
		if err == nil {
			return path, lock, nil
		}
		problems = append(problems, err)
	}
	return "", nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "there is no folder for connector sockets: %w", errors.Join(problems...)).
		WithHint("Set XDG_RUNTIME_DIR or TMPDIR to a short path of a folder that you own.")
}

// makeOwnDir creates this host's folder in base, and removes those of hosts that have ended. The lock
// on base prevents that a new folder is removed before it is locked.
func makeOwnDir(base string) (path string, lock *os.File, err error) {
	if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", nil, err
	}
	info, err := os.Lstat(base)
	if err != nil {
		return "", nil, err
	}
	if !ownedByUs(info) {
		return "", nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s is not a folder of this user alone", base)
	}
	guard, err := openLocked(base, true)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = joinClose(err, guard) }()
	if err := sweep(base); err != nil {
		return "", nil, err
	}
	path, err = os.MkdirTemp(base, "h")
	if err != nil {
		return "", nil, err
	}
	lock, err = openLocked(path, false)
	return path, lock, err
}

// sweep removes the folders of hosts that have ended.
func sweep(base string) error {
	dirs, err := filepath.Glob(filepath.Join(base, "h*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		lock, err := openLocked(dir, false)
		if err != nil {
			continue // its host is running
		}
		if err := joinClose(os.RemoveAll(dir), lock); err != nil {
			return err
		}
	}
	return nil
}

func openLocked(path string, wait bool) (*os.File, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lockDir(dir, wait); err != nil {
		return nil, joinClose(err, dir)
	}
	return dir, nil
}

// joinClose closes c and joins its error with err.
func joinClose(err error, c io.Closer) error { return errors.Join(err, c.Close()) }

// listens reports whether a process may listen at the program's socket.
func (r *programRunner) listens(pid int) bool { return peer.IsChild(r.pid())(pid) }

// refuse records why a connection to the program's socket was refused.
func (r *programRunner) refuse(err error) {
	e := sdk.AsError(err, sdk.SourceHost)
	e.Msg = "connector " + strconv.Quote(r.args[0]) + " is refused: " + e.Msg
	r.log.Error("connector refused", "error", e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stranger = e.WithHint("A program that runs the connector must be replaced by it (exec), or keep it in its own process group.")
}

func (r *programRunner) refusal() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stranger == nil {
		return nil
	}
	return r.stranger
}

// PluginToHost refuses an address that is not in the program's folder, because a handshake could name
// the socket of another program of this user. It also refuses a certificate that the host did not
// request, because go-plugin panics on it.
func (r *programRunner) PluginToHost(network, address string) (string, string, error) {
	below, err := filepath.Rel(r.sockets, address)
	own := network == "unix" && err == nil && filepath.IsLocal(below) && below != "." // a folder of its own in it is usual
	if r.sockets == "" {
		host, _, err := net.SplitHostPort(address)
		own = err == nil && network == "tcp" && host == "127.0.0.1"
	}
	if !own {
		return "", "", sdk.Errorf(sdk.KindDenied, sdk.SourceConnector, "the connector listens on %s %q, which is not its own address", network, address)
	}
	hello, _, _ := r.report()
	if fields := strings.Split(hello, "|"); peer.Supported && len(fields) > 5 && fields[5] != "" {
		return "", "", sdk.Errorf(sdk.KindDenied, sdk.SourceConnector, "the connector answered with a certificate, which the host did not ask for").
			WithHint("Upgrade the connector to one that uses TLS only when PLUGIN_CLIENT_CERT is set.")
	}
	return network, address, nil
}

func (r *programRunner) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
