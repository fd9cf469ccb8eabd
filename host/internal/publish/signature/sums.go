package signature

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The files of a release beside its archives.
const (
	SumsName      = "SHA256SUMS"
	SignatureName = SumsName + ".minisig"
)

// Sums are the SHA-256 of files, in lower-case hexadecimal, by name.
type Sums map[string]string

// Text is the file SHA256SUMS, as sha256sum writes and checks it.
func (s Sums) Text() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s  %s\n", s[name], name)
	}
	return b.Bytes()
}

var sumLine = text.Pattern(`^([0-9a-f]{64}) [ *]([^/\\\s]+)$`)

// ParseSums reads SHA256SUMS.
// Errors: KindDenied for a line that is none, and for a file that is named twice.
func ParseSums(text []byte) (Sums, error) {
	s := Sums{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		m := sumLine().FindStringSubmatch(lines.Text())
		switch {
		case m == nil:
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "line %d of %s is no checksum and name", n, SumsName)
		case s[m[2]] != "":
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s has %s twice", SumsName, m[2])
		}
		s[m[2]] = m[1]
	}
	return s, lines.Err()
}
