package archive

import (
	"encoding/binary"
	"unsafe"
)

// little says that numbers in memory are as they are in the file.
var little = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// number is what an array of an archive holds.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Array returns a section as numbers: a view of the archive's memory, under the
// terms of Bytes. A rest that is no whole number is left out.
func Array[T number](a *Archive, name string) []T {
	data := a.Bytes(name)
	size := int(unsafe.Sizeof(T(0)))
	n := len(data) / size
	if n == 0 {
		return nil
	}
	if little || size == 1 {
		// Sections begin at multiples of 8 bytes in page-aligned memory.
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
	}
	out := make([]T, n)
	for i := range out {
		switch size {
		case 2:
			out[i] = T(binary.LittleEndian.Uint16(data[i*size:]))
		case 4:
			out[i] = T(binary.LittleEndian.Uint32(data[i*size:]))
		default:
			out[i] = T(binary.LittleEndian.Uint64(data[i*size:]))
		}
	}
	return out
}

// Append appends numbers to bytes in the order of the file.
func Append[T number](dst []byte, numbers ...T) []byte {
	for _, n := range numbers {
		switch unsafe.Sizeof(n) {
		case 1:
			dst = append(dst, byte(n))
		case 2:
			dst = binary.LittleEndian.AppendUint16(dst, uint16(n))
		case 4:
			dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
		default:
			dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
		}
	}
	return dst
}
