//go:build !linux && !darwin && !windows

package file

import (
	"errors"
	"os"
)

func exchange(*os.File, string, string) error { return errors.ErrUnsupported }

func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
