package sqlkit_test

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk/sqlkit"
)

// referenceHash is the documented hash, from the standard library's FNV-1a and
// the published finaliser.
func referenceHash(text string) uint64 {
	f := fnv.New64a()
	f.Write([]byte(text))
	h := binary.BigEndian.Uint64(f.Sum(nil))
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return h
}

func TestSketch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{0, 1, 7, 1000} {
		s := sqlkit.NewSketch(k)
		seen := map[string]bool{}
		var all []uint64
		for range 5000 {
			text := strconv.Itoa(r.IntN(2000))
			s.Add([]byte(text))
			if !seen[text] {
				seen[text] = true
				all = append(all, referenceHash(text))
			}
		}
		slices.Sort(all)
		if diff := cmp.Diff(all[:k], s.Hashes(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("k = %d (-want +got):\n%s", k, diff)
		}
	}
}

func BenchmarkSketch(b *testing.B) {
	s := sqlkit.NewSketch(256)
	var text []byte
	var i int64
	for b.Loop() {
		i++
		text = strconv.AppendInt(text[:0], i, 10)
		s.Add(text)
	}
}
