package daemon

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is the state of a process that has ended but was not waited for.
// Source: SZOMB of sys/proc.h.
const zombie = 5

// identify returns a value that differs for every process that ever had this id: its start
// time.
// Shape: "" when no process with that id runs; a zombie does not run.
func identify(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case errors.Is(err, unix.EIO), errors.Is(err, unix.ESRCH): // there is none
		return "", nil
	case err != nil:
		return "", err
	case int(info.Proc.P_pid) != pid, info.Proc.P_stat == zombie:
		return "", nil
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec), nil
}
