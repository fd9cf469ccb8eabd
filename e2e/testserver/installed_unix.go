//go:build unix

package testserver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// installed are the folders "data" of servers that never ran, by the program that made
// them: servers of the process start on copies, which cost a tenth.
var installed struct {
	sync.Mutex
	folders map[string]*installation
}

type installation struct {
	once sync.Once
	dir  string
	err  error
}

// installData makes dir/data as install does, which works as the account of attr.
func installData(dir, program string, attr *syscall.SysProcAttr, install func(dir string) error) error {
	installed.Lock()
	if installed.folders == nil {
		installed.folders = map[string]*installation{}
	}
	i := installed.folders[program]
	if i == nil {
		i = &installation{}
		installed.folders[program] = i
	}
	installed.Unlock()
	i.once.Do(func() { i.dir, i.err = keepInstalled(attr, install) })
	if i.err != nil {
		return i.err
	}
	cmd := exec.Command("cp", "-Rp", filepath.Join(i.dir, "data"), dir)
	cmd.SysProcAttr, cmd.Dir = attr, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("copying what %s installed: %w: %s", program, err, bytes.TrimSpace(out))
	}
	return nil
}

// keepInstalled installs in a folder that ends with the process, as those of servers do.
func keepInstalled(attr *syscall.SysProcAttr, install func(dir string) error) (string, error) {
	dir, err := os.MkdirTemp("", "loaminstalled")
	if err != nil {
		return "", err
	}
	if c := attr.Credential; c != nil {
		err = os.Chown(dir, int(c.Uid), int(c.Gid))
	}
	if err == nil {
		err = install(dir)
	}
	if err == nil {
		_, err = startProcess(dir, attr, "KILL", "tail", "-f", os.DevNull)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}
