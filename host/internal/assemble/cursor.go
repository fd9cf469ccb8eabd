package assemble

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"

	"github.com/loam-data/loam/sdk"
)

// sumDigits is the number of digits of the largest sum. A cursor is a run of digits: tokenizers spend less on them than
// on letters and digits mixed.
const sumDigits = 20

// basis is what the elements of a list and their order depend on. A cursor is valid for one basis.
type basis struct{ hash.Hash }

// newBasis returns the basis of a request: its arguments without the cursor.
func newBasis(request any) basis {
	b := basis{sha256.New()}
	text, err := json.Marshal(request)
	if err != nil {
		panic(err) // requests have only texts and numbers
	}
	b.add(string(text))
	return b
}

// add adds a text. Writing to a hash never fails.
func (b basis) add(text string) {
	_ = binary.Write(b, binary.LittleEndian, uint64(len(text)))
	_, _ = b.Write([]byte(text))
}

// order adds the positions of tables in a snapshot.
func (b basis) order(content string, positions []int32) {
	b.add(content)
	text := make([]byte, 0, 4*len(positions))
	for _, p := range positions {
		text = binary.LittleEndian.AppendUint32(text, uint32(p))
	}
	_, _ = b.Write(text)
}

// cursor returns the cursor of the element at a position.
func (b basis) cursor(position int) string {
	whole := sha256.Sum256(b.Sum(binary.LittleEndian.AppendUint64(nil, uint64(position))))
	return fmt.Sprintf("%0*d%d", sumDigits, binary.LittleEndian.Uint64(whole[:]), position)
}

// position returns the position of a cursor; 0 for "".
// Errors: KindInvalid for a cursor of another basis, and for a text that is none.
func (b basis) position(cursor string, size int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	if len(cursor) > sumDigits {
		at, err := strconv.Atoi(cursor[sumDigits:])
		if err == nil && at > 0 && at < size && b.cursor(at) == cursor {
			return at, nil
		}
	}
	return 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor belongs to other arguments, or the project changed since").
		WithHint("ask with the same arguments without the cursor, and begin again")
}
