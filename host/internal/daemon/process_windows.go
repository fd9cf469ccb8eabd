package daemon

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// identify returns a value that differs for every process that ever had this id: its start
// time.
// Shape: "" when no process with that id runs.
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

// detach starts the daemon without a console.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// terminate kills a process: without a console it cannot be asked to end. Its connectors end
// with it, because they belong to its job object.
func terminate(p *os.Process) error { return p.Kill() }

// killGroup kills a connector.
func killGroup(p *os.Process) error { return p.Kill() }

// Become returns errors.ErrUnsupported: Windows has no execve.
func Become(Launch) error { return errors.ErrUnsupported }
