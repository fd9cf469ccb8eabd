//go:build unix

package archive

import "golang.org/x/sys/unix"

// allocate returns private memory outside the heap: the garbage collector does
// not pace itself by it, and a file that changes underneath changes nothing.
func allocate(size int) ([]byte, func() error, error) {
	data, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
