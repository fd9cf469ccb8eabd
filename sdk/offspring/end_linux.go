package offspring

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	// patience is how long End waits for the processes that it killed, which may
	// have started others before they died.
	patience = 250 * time.Millisecond
	pause    = 2 * time.Millisecond
)

// End kills every process of this user that has the mark, except the calling
// one, and returns when none is left, or after a moment.
// Source: proc_pid_environ(5).
func End(mark string) error {
	if mark == "" {
		return nil
	}
	entry := []byte(Env + "=" + mark)
	var failed error
	for start := time.Now(); ; time.Sleep(pause) {
		found, err := kill(entry)
		failed = errors.Join(failed, err)
		if !found || time.Since(start) > patience {
			return failed
		}
	}
}

// kill kills the processes that have an entry in their environment, and reports
// whether there were any.
func kill(entry []byte) (found bool, failed error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return false, err
	}
	names, err := proc.Readdirnames(-1)
	if err = errors.Join(err, proc.Close()); err != nil {
		return false, err
	}
	var buffer []byte
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() || !marked(name, entry, &buffer) {
			continue
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			continue // it has ended
		}
		if marked(name, entry, &buffer) { // still the same process, now that process refers to it
			found = true
			if err := process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				failed = errors.Join(failed, err)
			}
		}
		_ = process.Release() // never fails for a process of somebody else
	}
	return found, failed
}

// marked reports whether a process was started with an entry in its
// environment: not, when this user may not know. Plain system calls, because
// every process of the machine is looked at.
func marked(pid string, entry []byte, buffer *[]byte) bool {
	fd, err := syscall.Open("/proc/"+pid+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = syscall.Close(fd) }() // nothing was written
	n := 0
	for {
		if n == len(*buffer) {
			*buffer = append(*buffer, make([]byte, max(n, 64<<10))...)
		}
		more, err := syscall.Read(fd, (*buffer)[n:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || more <= 0 {
			break
		}
		n += more
	}
	return holds((*buffer)[:n], entry)
}

// holds reports whether an entry is in an environment.
func holds(environ, entry []byte) bool {
	at := bytes.Index(environ, entry)
	return at == 0 || at > 0 && environ[at-1] == 0
}
