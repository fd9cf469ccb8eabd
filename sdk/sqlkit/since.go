package sqlkit

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

const (
	// maxMarks is how many tables a token remembers; those beyond are sent whole
	// by every scan.
	maxMarks = 100_000
	// markBytes is what a token has per table.
	markBytes = 16
	// sinceForm starts every token, and is another one when tokens are made otherwise.
	sinceForm = "1."
)

// marks are the tables of one scan: what they were made from, and what they
// became. A token of ScanRequest.Since is such a list.
type marks struct {
	salt []byte // what tables depend on beside the database
	old  []mark // of the earlier scan, ascending
	now  []mark
}

type mark struct {
	source      uint64 // hash of the table's rows and its stamp
	fingerprint uint64
}

// newMarks reads a token. One that is none, or of another version, is of no scan:
// all tables are then sent whole.
func newMarks(version string, req *sdk.ScanRequest) *marks {
	m := &marks{salt: []byte(version)}
	for _, f := range slices.Sorted(slices.Values(req.Facets)) {
		m.salt = append(append(m.salt, 0), f...)
	}
	text, ok := strings.CutPrefix(req.Since, sinceForm)
	list, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(list)%markBytes != 0 {
		return m
	}
	for one := range slices.Chunk(list, markBytes) {
		m.old = append(m.old, mark{binary.BigEndian.Uint64(one), binary.BigEndian.Uint64(one[8:])})
	}
	if !slices.IsSortedFunc(m.old, compareMarks) {
		m.old = nil
	}
	return m
}

func compareMarks(a, b mark) int { return cmp.Compare(a.source, b.source) }

// source hashes what a table is made from: its rows of Catalog.Tables and Keys,
// which t shows, and its stamp.
func (m *marks) source(t *sdk.Table, stamp string) uint64 {
	h := sha256.New()
	h.Write(m.salt)
	h.Write(structure(t))
	h.Write([]byte(stamp))
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// unchanged returns the fingerprint of a table that the earlier scan made from
// the same.
func (m *marks) unchanged(source uint64) (fingerprint string, ok bool) {
	i, ok := slices.BinarySearchFunc(m.old, mark{source: source}, compareMarks)
	if !ok {
		return "", false
	}
	m.now = append(m.now, m.old[i])
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, m.old[i].fingerprint)), true
}

// sent notes a table that was sent whole.
func (m *marks) sent(source uint64, fingerprint string) {
	if raw, err := hex.DecodeString(fingerprint); err == nil && len(raw) == fingerprintBytes {
		m.now = append(m.now, mark{source, binary.BigEndian.Uint64(raw)})
	}
}

// token returns the token for the next scan.
func (m *marks) token() string {
	slices.SortFunc(m.now, compareMarks)
	var list []byte
	for _, one := range m.now[:min(len(m.now), maxMarks)] {
		list = binary.BigEndian.AppendUint64(list, one.source)
		list = binary.BigEndian.AppendUint64(list, one.fingerprint)
	}
	return sinceForm + base64.RawURLEncoding.EncodeToString(list)
}

const fingerprintBytes = 8

// Fingerprint returns a hash of a table's structure, without the estimates and the
// fingerprint itself.
func Fingerprint(t *sdk.Table) string {
	sum := sha256.Sum256(structure(t))
	return hex.EncodeToString(sum[:fingerprintBytes])
}

// structure is what Fingerprint hashes.
func structure(t *sdk.Table) []byte {
	s := *t
	s.RowEstimate, s.ByteEstimate, s.Fingerprint = 0, 0, ""
	text, err := json.Marshal(s)
	if err != nil {
		panic("sqlkit: a table is no JSON: " + err.Error()) // it has only strings, numbers and lists of such
	}
	return text
}
