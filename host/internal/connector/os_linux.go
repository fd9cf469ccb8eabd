package connector

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// firstStartTimeout is for a program that this host never started before.
const firstStartTimeout = startTimeout

func identify(file *os.File) (fileID, error) {
	info, err := file.Stat()
	if err != nil {
		return fileID{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, errors.ErrUnsupported
	}
	return fileID{
		device: stat.Dev, node: stat.Ino, size: info.Size(), mtime: info.ModTime().UnixNano(),
		ctime: time.Unix(stat.Ctim.Unix()).UnixNano(),
	}, nil
}

// openFilePath is where a child finds the first of its extra files.
const openFilePath = "/proc/self/fd/3"

// execsOpenFile reports whether an open file can be executed itself, so that a
// change of its path between the check and the start changes nothing.
func execsOpenFile() bool {
	_, err := os.Stat("/proc/self/fd")
	return err == nil
}

// prepare puts the command into a group of its own that is told to end when the
// thread dies that starts it; see spawner. It is not killed: what it runs in its
// warehouse has to end first, and a warehouse may not notice by itself.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// restrict forbids core dumps: they would hold secrets.
func restrict(pid int) error {
	return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}

// awaitExit returns when the process has ended. True means that it was not
// waited for yet, so that its id cannot be given to another one.
func awaitExit(process *os.Process) bool {
	for {
		err := unix.Waitid(unix.P_PID, process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// residentBytes returns the memory a process holds, 0 when it cannot be told.
// Source: proc_pid_statm(5), second field, in pages.
func residentBytes(pid int) int64 {
	statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// spawner starts programs from one thread that lives as long as the host: the
// kernel kills a child when the thread that started it ends, not when the
// process does (golang.org/issue/27505).
type spawner struct{ jobs chan func() }

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func())}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for job := range s.jobs {
			job()
		}
	}()
	return s
}

func (s *spawner) start(cmd *exec.Cmd) error {
	started := make(chan error)
	s.jobs <- func() { started <- cmd.Start() }
	return <-started
}

// close ends the thread. No program may be running any more.
func (s *spawner) close() { close(s.jobs) }
