//go:build !unix

package archive

import "unsafe"

// allocate returns memory that begins at a multiple of 8 bytes.
func allocate(size int) ([]byte, func() error, error) {
	words := make([]uint64, (size+7)/8)
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
	return data, func() error { return nil }, nil
}
