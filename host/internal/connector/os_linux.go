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

// openFilePath is the path of a child's first extra file.
const openFilePath = "/proc/self/fd/3"

// execsOpenFile reports whether the system can execute an open file, so that replacing the path
// between verification and start has no effect.
func execsOpenFile() bool {
	_, err := os.Stat("/proc/self/fd")
	return err == nil
}

// prepare puts the command into a new process group, and makes the kernel send it SIGTERM when the
// thread that starts it ends; see spawner. It gets no SIGKILL, so that it can first cancel its
// statements, whose end the warehouse may not notice.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// restrict disables core dumps, which would contain secrets, and makes the out-of-memory killer
// prefer the connector to the host.
func restrict(pid int) error {
	return errors.Join(
		unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil),
		os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("500"), 0),
	)
}

// LimitsMemory reports whether the system enforces a connector's memory limit.
const LimitsMemory = true

// limit limits the program's memory, so that allocations beyond it fail. RLIMIT_DATA counts
// private writable memory, heap and mappings, but not reserved address space, of which a Go
// program has gigabytes. Only the soft limit is set, because it is raised when another connection
// is opened. It is in effect before the first call.
// Source: getrlimit(2), since Linux 4.7; may_expand_vm in the kernel's mm/mmap.c.
func (g *processGroup) limit(bytes int64) error {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &own); err != nil {
		return err
	}
	return unix.Prlimit(g.pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: min(uint64(bytes), own.Cur), Max: own.Max}, nil)
}

// oomKills returns the number of processes that the kernel killed because the system or a control
// group was out of memory; 0 if that is not known.
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

// awaitExit waits until the process has ended. True means that the process was not reaped, so that
// its id cannot be reused yet.
func awaitExit(process *os.Process) bool {
	for {
		err := unix.Waitid(unix.P_PID, process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// Fields of a process's memory counters.
// Source: proc_pid_statm(5).
const (
	residentField = 1
	dataField     = 5 // private writable memory, including the stack
)

// memoryOf returns a memory counter of a process, in bytes; 0 = not known.
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

// spawner starts programs from one thread that lives as long as the host, because the kernel
// signals a child when the thread that started it ends, not when the process does
// (golang.org/issue/27505).
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

// close ends the thread. All programs must have ended.
func (s *spawner) close() { close(s.jobs) }
