package daemon

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// identify returns a value that differs for every process that ever had this id: the id of
// the boot and the clock tick of its start.
// Shape: "" when no process with that id runs; a zombie does not run.
// Source: proc_pid_stat(5), fields 3 and 22; field 2 is in parentheses and may contain
// anything.
func identify(pid int) (string, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return "", errors.New("/proc/" + strconv.Itoa(pid) + "/stat is not as expected")
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return "", nil
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(boot)) + "/" + string(fields[19]), nil
}
