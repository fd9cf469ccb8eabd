package daemon

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// identify returns what tells a running process from every other one: the
// moment of its start.
// Shape: "" when none with that id runs.
func identify(pid int) (_ string, err error) {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, windows.CloseHandle(handle)) }()
	if event, err := windows.WaitForSingleObject(handle, 0); err != nil || event == windows.WAIT_OBJECT_0 {
		return "", err
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), nil
}

// detach keeps the daemon from the console it was started in.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// terminate ends a process. One without a console cannot be asked to end: its
// connectors end with it, because they belong to its job.
func terminate(p *os.Process) error { return p.Kill() }

// killGroup ends a connector.
func killGroup(p *os.Process) error { return p.Kill() }

// Become does not exist here.
func Become(Launch) error { return errors.ErrUnsupported }
