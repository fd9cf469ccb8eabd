//go:build unix

package testserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// process is a server process and its folder. Both belong to a small shell
// that holds a pipe from this process: when the pipe closes, because of stop or
// because this process ended in whatever way, the shell ends the server by its
// process id and removes the folder.
type process struct {
	pipe io.Closer
	done chan struct{} // closed when the shell is gone
	once sync.Once
}

func (p *process) stop() {
	p.once.Do(func() { _ = p.pipe.Close() }) // the other end may be gone already
	<-p.done
}

func (p *process) stopped() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// watch starts a server (the arguments after the folder and the signal's name),
// whose output goes to the file "log" of the folder, and ends it with the signal
// when stdin ends. It exits when the server does.
const watch = `
dir=$1; signal=$2; shift 2
"$@" >"$dir/log" 2>&1 </dev/null &
server=$!
exec 3<&0
( cat <&3 >/dev/null; kill -$signal $server ) 2>/dev/null &
watcher=$!
exec 3<&- <&-
wait $server
kill $watcher 2>/dev/null
rm -rf "$dir"
`

// startProcess starts a server that works in dir, as the account of attr, and
// that the named signal ("QUIT", "KILL") ends at once.
func startProcess(dir string, attr *syscall.SysProcAttr, signal string, command ...string) (*process, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", watch, "sh", dir, signal}, command...)...)
	cmd.SysProcAttr, cmd.Dir = attr, dir
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{pipe: pipe, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // the server's end is what was asked for
	}()
	return p, nil
}

// serverAccount gives the folder to the account that runs the server: the own
// one or, as servers refuse to run as root, the first of the names that exists.
func serverAccount(dir string, names ...string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr, os.Chown(dir, int(uid), int(gid))); err != nil {
			return nil, err
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return attr, nil
	}
	return nil, fmt.Errorf("running as root needs an account for the server: %s", strings.Join(names, " or "))
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
