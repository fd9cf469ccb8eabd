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

// restrict forbids core dumps, which would hold secrets, and has a system that is
// out of memory end the connector before the host.
func restrict(pid int) error {
	return errors.Join(
		unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil),
		os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("500"), 0),
	)
}

// LimitsMemory reports whether the system enforces a connector's memory limit.
const LimitsMemory = true

// limit has the system refuse the program memory beyond a number of bytes, so
// that an allocation fails. RLIMIT_DATA counts private memory that may be
// written, heap and mappings alike, and not what is only reserved, of which a Go
// program has gigabytes. Only the soft limit is set: it can be raised again when
// another connection is opened. The program has it before it is asked anything.
// Source: getrlimit(2), since Linux 4.7; may_expand_vm in the kernel's mm/mmap.c.
func (g *processGroup) limit(bytes int64) error {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &own); err != nil {
		return err
	}
	return unix.Prlimit(g.pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: min(uint64(bytes), own.Cur), Max: own.Max}, nil)
}

// oomKills returns how many processes the system ended because it was out of
// memory, or a control group was; 0 when it does not tell.
// Source: /proc/vmstat, since Linux 4.13.
func oomKills() int64 {
	text, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(text, []byte("\noom_kill "))
	digits, _, _ := bytes.Cut(after, []byte("\n"))
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return n
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

// Fields of what the system says of a process's memory.
// Source: proc_pid_statm(5).
const (
	residentField = 1
	dataField     = 5 // private memory that may be written, and the stack
)

// memoryOf returns the memory of a process, 0 when it cannot be told.
func memoryOf(pid, field int) int64 {
	statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) <= field {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[field]), 10, 64)
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
