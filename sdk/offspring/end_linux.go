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
	// have started others before they died, and for those that just start a program.
	patience = time.Second
	pause    = 2 * time.Millisecond
)

// End kills every process of this user with the mark, except the calling one, and returns
// when none is left, or after a short time.
// Source: proc_pid_environ(5).
func End(mark string) error {
	if mark == "" {
		return nil
	}
	entry := []byte(Env + "=" + mark)
	var failed error
	for start := time.Now(); ; time.Sleep(pause) {
		again, err := kill(entry)
		failed = errors.Join(failed, err)
		if !again || time.Since(start) > patience {
			return failed
		}
	}
}

// kill kills the processes that have an entry in their environment, and reports
// whether there were any, or may have been.
func kill(entry []byte) (again bool, failed error) {
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
		if err != nil || pid == os.Getpid() {
			continue
		}
		is, known := marked(name, entry, &buffer)
		again = again || is || !known
		if !is {
			continue
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			continue // it has ended
		}
		if is, _ := marked(name, entry, &buffer); is { // still the same process, now that process refers to it
			if err := process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				failed = errors.Join(failed, err)
			}
		}
		_ = process.Release() // never fails for a process of somebody else
	}
	return again, failed
}

// marked reports whether a process was started with an entry in its
// environment: not, when this user may not know. It is not known of a process that
// is about to run another program: its environment is empty for a moment, then it
// begins and ends at one place while the kernel writes it, and what is read of the
// old one may lack its end.
func marked(pid string, entry []byte, buffer *[]byte) (is, known bool) {
	for range 2 {
		environ, whole, err := read("/proc/"+pid+"/environ", buffer)
		if err != nil {
			return false, true
		}
		if is := holds(environ, entry); is || !whole || len(environ) > 0 {
			return is, is || whole
		}
		stat, whole, err := read("/proc/"+pid+"/stat", buffer)
		if err != nil || whole && finished(stat) {
			return false, true
		}
		if !bare(stat) {
			return false, false
		}
		time.Sleep(pause) // it may be being written
	}
	return false, true
}

// finished reports by its line in /proc whether a process has ended or belongs to the
// kernel.
// Source: proc_pid_stat(5); PF_KTHREAD of the kernel's sched.h.
func finished(stat []byte) bool {
	fields := statFields(stat)
	if fields == nil {
		return true
	}
	const kernelThread = 0x00200000
	flags, err := strconv.ParseUint(string(fields[6]), 10, 64)
	return bytes.ContainsAny(fields[0], "ZXx") || err != nil || flags&kernelThread != 0
}

// bare reports by its line in /proc whether the environment of a process begins and ends
// at one place.
func bare(stat []byte) bool {
	fields := statFields(stat)
	return fields != nil && string(fields[47]) != "0" && bytes.Equal(fields[47], fields[48])
}

// statFields are those behind the name, which may hold anything; nil where some are missing.
func statFields(stat []byte) [][]byte {
	if fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(fields) >= 49 {
		return fields
	}
	return nil
}

// read returns a file of /proc, in the buffer, and whether that is all of it. Plain system
// calls, because every process of the machine is looked at.
func read(path string, buffer *[]byte) (text []byte, whole bool, err error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, false, err
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
			return (*buffer)[:n], err == nil, nil
		}
		n += more
	}
}

// holds reports whether an entry is in an environment.
func holds(environ, entry []byte) bool {
	at := bytes.Index(environ, entry)
	return at == 0 || at > 0 && environ[at-1] == 0
}
