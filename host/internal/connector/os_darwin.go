package connector

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// firstStartTimeout is for a program that this host never started before: the
// system's malware scan of a new file takes tens of seconds.
const firstStartTimeout = 90 * time.Second

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
		device: uint64(stat.Dev), node: stat.Ino, size: info.Size(), mtime: info.ModTime().UnixNano(),
		ctime: time.Unix(stat.Ctimespec.Unix()).UnixNano(),
	}, nil
}
