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

// identify returns what tells a running process from every other one: the boot
// of the machine and the tick of its start.
// Shape: "" when none with that id runs; one that has ended and was not waited
// for does not.
// Source: proc_pid_stat(5), fields 3 and 22; the second is in parentheses and
// may contain anything.
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
