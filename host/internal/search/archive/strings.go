package archive

import (
	"errors"
	"math"
	"strings"
	"unsafe"

	"github.com/loam-data/loam/sdk"
)

// Strings is a list of strings in an archive, under the terms of Bytes.
type Strings struct {
	text    []byte
	offsets []uint32
}

// PutStrings writes strings as one text and the offsets in it.
// Errors: KindLimit when they are longer than 4 GiB together, KindDenied.
func PutStrings(w *Writer, name string, all []string) error {
	offsets := make([]uint32, 1, len(all)+1)
	size := 0
	for _, s := range all {
		if size += len(s); size > math.MaxUint32 {
			return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the texts in the index are longer than 4 GiB together")
		}
		offsets = append(offsets, uint32(size))
	}
	s := w.Section(name+".text", int64(size))
	for _, part := range all {
		if _, err := s.Write([]byte(part)); err != nil {
			return unwritable(w.path, err)
		}
	}
	return errors.Join(s.Close(), PutArray(w, name+".offset", offsets))
}

// StringList returns a list that PutStrings wrote.
// Errors: ErrDamaged when there is none or its offsets lead outside of it.
func StringList(a *Archive, name string) (Strings, error) {
	s := Strings{text: a.Bytes(name + ".text"), offsets: Array[uint32](a, name+".offset")}
	if len(s.offsets) == 0 || s.offsets[0] != 0 || int(s.offsets[len(s.offsets)-1]) != len(s.text) {
		return Strings{}, ErrDamaged
	}
	for i := 1; i < len(s.offsets); i++ {
		if s.offsets[i] < s.offsets[i-1] {
			return Strings{}, ErrDamaged
		}
	}
	return s, nil
}

// Len returns how many strings there are.
func (s Strings) Len() int { return len(s.offsets) - 1 }

// Bytes returns a string's bytes. They must not be changed.
func (s Strings) Bytes(i uint32) []byte { return s.text[s.offsets[i]:s.offsets[i+1]] }

// View returns a string that lives in the archive's memory: for comparing and
// looking up, not to be kept.
func (s Strings) View(i uint32) string {
	b := s.Bytes(i)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// At returns a copy of a string.
func (s Strings) At(i uint32) string { return strings.Clone(s.View(i)) }
