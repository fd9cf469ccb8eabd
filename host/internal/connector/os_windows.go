package connector

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// firstStartTimeout is for a program that this host never started before: virus scanners delay a
// new file by tens of seconds.
const firstStartTimeout = 90 * time.Second

func identify(file *os.File) (fileID, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &info); err != nil {
		return fileID{}, err
	}
	return fileID{
		device: uint64(info.VolumeSerialNumber), node: uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
		size:  int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow),
		mtime: info.LastWriteTime.Nanoseconds(), ctime: info.CreationTime.Nanoseconds(),
	}, nil
}

// prepare keeps a Ctrl-C of the console from the program.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// processGroup is a job object. Its processes end when its last handle is closed, which the host
// has.
type processGroup struct{ job windows.Handle }

func (g *processGroup) adopt(cmd *exec.Cmd) (err error) {
	g.job, err = windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	if err := g.set(windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}); err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return err
	}
	return errors.Join(windows.AssignProcessToJobObject(g.job, process), windows.CloseHandle(process))
}

func (g *processGroup) set(limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) error {
	_, err := windows.SetInformationJobObject(g.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return err
}

// LimitsMemory reports whether the system enforces a connector's memory limit.
const LimitsMemory = true

// limit limits the memory of all processes of the job together.
func (g *processGroup) limit(bytes int64) error {
	return g.set(windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_JOB_MEMORY},
		JobMemoryLimit:        uintptr(bytes),
	})
}

func (g *processGroup) kill() error { return windows.TerminateJobObject(g.job, 1) }

func (g *processGroup) release() error { return windows.CloseHandle(g.job) }

func signalOf(*os.ProcessState) string { return "" }

func textBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

func lockDir(*os.File, bool) error { return nil }

func ownedByUs(info os.FileInfo) bool { return info.IsDir() }

// writableByOthers always returns "": mode bits have no meaning on Windows.
func writableByOthers(...string) string { return "" }
