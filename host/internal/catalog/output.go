package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxWords is the size of the dictionary: what a few dozen tables need to say.
	maxWords = 64 << 10
	// enough is how much is collected before the dictionary is made of it. With
	// less than that in a whole snapshot a dictionary costs what it saves.
	enough = 16 * maxWords
	// sampled is how much of one block goes into the dictionary.
	sampled = 2 << 10
)

// output is the file that a pack is written to.
type output struct {
	file    *os.File
	end     int64
	words   []byte
	base    place // of the words
	zstd    *zstd.Encoder
	waiting []waiting // blocks that came before there was a dictionary
	size    int       // bytes of them
	packed  []byte
	reader  *pack // of what was written; nil before anything is read back
}

type waiting struct {
	plain []byte
	into  *place
}

// put compresses a block, at once or when there is a dictionary. plain is free
// to be used again afterwards.
func (o *output) put(plain []byte, into *place) error {
	if o.zstd != nil {
		o.packed = o.zstd.EncodeAll(plain, o.packed[:0])
		return o.write(o.packed, hashOf(plain), into)
	}
	into.hash = hashOf(plain)
	o.waiting = append(o.waiting, waiting{slices.Clone(plain), into})
	if o.size += len(plain); o.size < enough {
		return nil
	}
	// Samples from all over: neighbours say the same.
	var words []byte
	stride := max(1, len(o.waiting)*sampled/maxWords)
	for i := 0; i < len(o.waiting) && len(words) < maxWords; i += stride {
		block := o.waiting[i].plain
		words = append(words, block[:min(sampled, len(block), maxWords-len(words))]...)
	}
	return o.use(words)
}

// use compresses with a dictionary from now on, and what waited for it.
func (o *output) use(words []byte) (err error) {
	options := []zstd.EOption{zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true)}
	if len(words) > 0 {
		options = append(options, zstd.WithEncoderDictRaw(dictionary, words))
	}
	if o.zstd, err = zstd.NewWriter(nil, options...); err != nil {
		return err
	}
	o.words = words
	if err := o.write(words, hashOf(words), &o.base); err != nil {
		return err
	}
	for _, w := range o.waiting {
		if err := o.put(w.plain, w.into); err != nil {
			return err
		}
	}
	o.waiting = nil
	return nil
}

// uses reports whether blocks are compressed with these words.
func (o *output) uses(words []byte) bool { return o.zstd != nil && bytes.Equal(o.words, words) }

// write appends a block as it is to be in the file.
func (o *output) write(packed []byte, hash Hash, into *place) error {
	if _, err := o.file.WriteAt(packed, o.end); err != nil {
		return err
	}
	*into = place{offset: o.end, size: uint32(len(packed)), hash: hash}
	o.end += int64(len(packed))
	return nil
}

// finish writes the directory and the header, and returns the content's name
// and how much there is of it.
func (o *output) finish(tables map[sdk.TableRef]*row, part []byte) (name string, n Counts, err error) {
	var attached place
	if part != nil {
		if err := o.put(part, &attached); err != nil {
			return "", n, err
		}
	}
	if o.zstd == nil {
		if err := o.use(nil); err != nil {
			return "", n, err
		}
	}
	for _, r := range tables {
		n.Tables++
		n.Columns += r.columns
		n.ForeignKeys += r.foreignKeys
		if r.profile.size > 0 {
			n.Profiles++
			n.ProfiledColumns += r.profiled
		}
	}
	refs := slices.SortedFunc(maps.Keys(tables), compareRefs)
	content := contentOf(refs, tables, attached)
	directory, err := o.directory(content, refs, tables, attached)
	if err != nil {
		return "", n, err
	}
	sum := sha256.Sum256(directory)
	header := make([]byte, 0, headerSize)
	header = append(header, magic...)
	header = binary.LittleEndian.AppendUint64(header, format)
	header = binary.LittleEndian.AppendUint64(header, uint64(o.end))
	header = binary.LittleEndian.AppendUint64(header, uint64(len(directory)))
	header = append(header, sum[:]...)
	if _, err := o.file.WriteAt(directory, o.end); err != nil {
		return "", n, err
	}
	_, err = o.file.WriteAt(header, 0)
	return hex.EncodeToString(content[:]), n, err
}

// contentOf is what a pack is named after: all that a reader can see of it, and
// not where it stands in the file.
func contentOf(refs []sdk.TableRef, tables map[sdk.TableRef]*row, attached place) [sha256.Size]byte {
	digest := sha256.New()
	var e encoder
	for _, ref := range refs {
		r := tables[ref]
		e = e[:0]
		e.ref(ref)
		e.int(r.rows)
		e.int(r.bytes)
		e = append(append(e, r.table.hash[:]...), r.profile.hash[:]...)
		digest.Write(e) // a hash takes everything
	}
	digest.Write(attached.hash[:])
	return [sha256.Size]byte(digest.Sum(nil))
}

func (o *output) directory(content [sha256.Size]byte, refs []sdk.TableRef, tables map[sdk.TableRef]*row, attached place) ([]byte, error) {
	letters := texts{at: map[string]uint32{}}
	records := make([]byte, 0, len(refs)*(recordSize+4))
	for _, ref := range refs {
		records = tables[ref].append(records, ref, &letters)
	}
	if len(letters.all) > math.MaxUint32 {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceWarehouse, "the tables' names have %d bytes; the limit is %d", len(letters.all), math.MaxUint32).
			WithHint("exclude tables from the scan")
	}
	byName := make([]uint32, len(refs))
	for i := range byName {
		byName[i] = uint32(i)
	}
	slices.SortStableFunc(byName, func(a, b uint32) int { return compareFold(refs[a].Name, refs[b].Name) })

	d := o.base.append(content[:])
	d = attached.append(d)
	d = binary.LittleEndian.AppendUint32(d, uint32(len(refs)))
	d = binary.LittleEndian.AppendUint32(d, uint32(len(letters.all)))
	d = append(d, records...)
	for _, i := range byName {
		d = binary.LittleEndian.AppendUint32(d, i)
	}
	return append(d, letters.all...), nil
}

// append writes a table's record; see the reading side in pack.go.
func (r *row) append(dst []byte, ref sdk.TableRef, letters *texts) []byte {
	dst = r.table.append(dst)
	dst = r.profile.append(dst)
	for _, n := range []uint64{uint64(r.rows), uint64(r.bytes), r.fingerprint} {
		dst = binary.LittleEndian.AppendUint64(dst, n)
	}
	for _, n := range []int{r.columns, r.foreignKeys, r.profiled} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	names := []string{ref.Catalog, ref.Schema, ref.Name, string(r.kind)}
	for _, s := range names {
		dst = binary.LittleEndian.AppendUint32(dst, letters.add(s))
	}
	for _, s := range names {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(s)))
	}
	return dst
}

// texts are strings of which each is kept once.
type texts struct {
	all []byte
	at  map[string]uint32
}

func (t *texts) add(s string) uint32 {
	at, known := t.at[s]
	if !known {
		at = uint32(len(t.all))
		t.at[s] = at
		t.all = append(t.all, s...)
	}
	return at
}

func compareRefs(a, b sdk.TableRef) int {
	return cmp.Or(cmp.Compare(a.Catalog, b.Catalog), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
}
