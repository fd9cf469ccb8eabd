package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"github.com/loam-data/loam/host/internal/search/archive"
	"github.com/loam-data/loam/sdk"
)

// spill collects postings in runs of bounded size. A full run is put in the
// order of its terms and written out. Documents come in order, so a term's
// postings of one run all precede those of the next: merging is reading.
type spill struct {
	scratch *Scratch

	file *os.File
	size int64
	runs []sortedRun
	done bool
}

// Scratch is the working memory of a Builder, to be reused by the Builders of many
// segments one after the other.
// Shape: the zero value is ready; it grows to at most 64 MiB.
// Concurrency: one Builder at a time.
type Scratch struct {
	terms, documents []uint32
	records          []record
	order            []uint32
	out              *bufio.Writer
}

// sortedRun is a written part: its place, and how many postings each term has in it.
type sortedRun struct {
	offset int64
	size   int64
	counts []uint32
}

// record is a posting before it has an impact: the frequencies by class in
// four bits each, and the field with the largest share.
type record struct {
	tf    uint16
	field uint8
}

const recordSize = 4 + 2 + 1

// newSpill keeps its file beside path.
func newSpill(path string, scratch *Scratch) (*spill, error) {
	file, err := archive.Temp(path)
	if err != nil {
		return nil, err
	}
	s := &spill{scratch: scratch, file: file}
	s.scratch.empty()
	return s, nil
}

// empty forgets the postings of the run and keeps their memory.
func (s *Scratch) empty() {
	s.terms, s.documents, s.records = s.terms[:0], s.documents[:0], s.records[:0]
}

func (s *spill) add(document uint32, entries []entry) error {
	for i := range entries {
		s.scratch.terms = append(s.scratch.terms, entries[i].term)
		s.scratch.documents = append(s.scratch.documents, document)
		s.scratch.records = append(s.scratch.records, pack(&entries[i]))
	}
	if len(s.scratch.terms) < runPostings {
		return nil
	}
	return s.flush()
}

func pack(e *entry) record {
	var byClass [classes]uint8
	best, field := -1.0, Name
	for f := range Field(fields) {
		c := classOf[f]
		byClass[c] = min(byClass[c]+e.tf[f], maxTF)
		if share := classWeight[c] * float64(e.tf[f]); e.tf[f] > 0 && share > best {
			best, field = share, f
		}
	}
	r := record{field: uint8(field)}
	for c, tf := range byClass {
		r.tf |= uint16(tf) << (4 * c)
	}
	if e.key {
		r.field |= keyFlag
	}
	return r
}

// flush writes the run in the order of its terms, documents in order within.
func (s *spill) flush() error {
	if len(s.scratch.terms) == 0 {
		return nil
	}
	counts := make([]uint32, slices.Max(s.scratch.terms)+1)
	for _, t := range s.scratch.terms {
		counts[t]++
	}
	next := make([]uint32, len(counts))
	for t, at := 0, uint32(0); t < len(counts); t++ {
		next[t] = at
		at += counts[t]
	}
	s.scratch.order = slices.Grow(s.scratch.order[:0], len(s.scratch.terms))[:len(s.scratch.terms)]
	for i, t := range s.scratch.terms {
		s.scratch.order[next[t]] = uint32(i)
		next[t]++
	}
	if s.scratch.out == nil {
		s.scratch.out = bufio.NewWriterSize(nil, 256<<10)
	}
	s.scratch.out.Reset(io.NewOffsetWriter(s.file, s.size))
	defer s.scratch.out.Reset(nil)
	var raw [recordSize]byte
	for _, i := range s.scratch.order {
		binary.LittleEndian.PutUint32(raw[:], s.scratch.documents[i])
		binary.LittleEndian.PutUint16(raw[4:], s.scratch.records[i].tf)
		raw[6] = s.scratch.records[i].field
		if _, err := s.scratch.out.Write(raw[:]); err != nil {
			return full(err)
		}
	}
	if err := s.scratch.out.Flush(); err != nil {
		return full(err)
	}
	size := int64(len(s.scratch.order)) * recordSize
	s.runs = append(s.runs, sortedRun{offset: s.size, size: size, counts: counts})
	s.size += size
	s.scratch.empty()
	return nil
}

func full(err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the search index cannot be written: %w", err).
		WithHint("see that the project's disk has space")
}

func (s *spill) close() error {
	if s.done {
		return nil
	}
	s.done = true
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// count returns how many postings a term has in all runs.
func (s *spill) count(term int) (n uint32) {
	for i := range s.runs {
		if term < len(s.runs[i].counts) {
			n += s.runs[i].counts[term]
		}
	}
	return n
}

// putTerms writes the vocabulary, sorted, and the postings, term by term in the
// order in which the terms were first seen.
func (b *Builder) putTerms(w *archive.Writer) error {
	if err := b.spill.flush(); err != nil {
		return err
	}
	sorted := make([]string, 0, len(b.terms))
	for t := range b.terms {
		sorted = append(sorted, t)
	}
	slices.Sort(sorted)
	counts, starts := make([]uint32, len(sorted)), make([]uint32, len(sorted))
	var total uint64
	for t := range counts {
		counts[t], starts[t] = b.spill.count(t), uint32(total)
		total += uint64(counts[t])
	}
	if total > math.MaxUint32 {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the index would have more than %d postings", uint32(math.MaxUint32))
	}
	most, err := b.putPostings(w, counts, int64(total))
	if err != nil {
		return err
	}
	// From here on in the order of the sorted terms.
	arrange := func(byID []uint32) []uint32 {
		out := make([]uint32, len(sorted))
		for i, t := range sorted {
			out[i] = byID[b.terms[t]]
		}
		return out
	}
	highest := make([]uint8, len(sorted))
	for i, t := range sorted {
		highest[i] = most[b.terms[t]]
	}
	return errors.Join(
		archive.PutStrings(w, "term", sorted),
		archive.PutArray(w, "term.count", arrange(counts)),
		archive.PutArray(w, "term.start", arrange(starts)),
		archive.PutArray(w, "term.impact", highest),
		archive.PutArray(w, "term.ends", reversed(sorted)),
	)
}

// putPostings merges the runs and returns the highest impact of each term.
func (b *Builder) putPostings(w *archive.Writer, counts []uint32, total int64) ([]uint8, error) {
	width := 4
	if len(b.flags) <= narrow {
		width = 2
	}
	documents := w.Section("posting.document", int64(width)*total)
	impacts := w.Section("posting.impact", total)
	sources := w.Section("posting.field", total)
	readers := make([]*bufio.Reader, len(b.spill.runs))
	for i, r := range b.spill.runs {
		readers[i] = bufio.NewReaderSize(io.NewSectionReader(b.spill.file, r.offset, r.size), 256<<10)
	}
	most := make([]uint8, len(counts))
	const block = 4096
	records, columns := make([]byte, block*recordSize), make([]byte, block*(recordSize-1))
	for t := range counts {
		for i, r := range b.spill.runs {
			left := 0
			if t < len(r.counts) {
				left = int(r.counts[t])
			}
			for ; left > 0; left -= min(left, block) {
				n := min(left, block)
				if _, err := io.ReadFull(readers[i], records[:n*recordSize]); err != nil {
					return nil, full(err)
				}
				ids, levels, from := columns[:width*n], columns[4*n:5*n], columns[5*n:6*n]
				for j := range n {
					raw := records[j*recordSize:]
					copy(ids[width*j:width*j+width], raw) // the low bytes come first
					levels[j] = b.impact(binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint16(raw[4:]))
					from[j] = raw[6]
					most[t] = max(most[t], levels[j])
				}
				_, err1 := documents.Write(ids)
				_, err2 := impacts.Write(levels)
				_, err3 := sources.Write(from)
				if err := errors.Join(err1, err2, err3); err != nil {
					return nil, full(err)
				}
			}
		}
	}
	return most, errors.Join(documents.Close(), impacts.Close(), sources.Close())
}

// impact returns what a posting is worth: BM25F without the term's rarity, which
// is the question's part. At least 1, so that every posting counts.
func (b *Builder) impact(document uint32, tf uint16) uint8 {
	usual := &usualLength[b.flags[document]&kindMask]
	s := 0.0
	for c := range classes {
		if n := tf >> (4 * c) & maxTF; n > 0 {
			relative := max(1, float64(b.lengths[c][document])) / usual[c]
			s += classWeight[c] * float64(n) / tfUnit / (1 - classLength[c] + classLength[c]*relative)
		}
	}
	return uint8(max(1, math.Round(maxImpact*s/(saturation+s))))
}
