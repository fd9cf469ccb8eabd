package foreignkey

import (
	"io/fs"
	"os"
	"reflect"
	"time"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// decided is a file of decisions as it was last read.
type decided struct {
	path string
	// info of the file, nil = there was none. racy: it was read so soon after it
	// changed that it may have changed again without another time or size.
	info fs.FileInfo
	racy bool
	read bool
	all  relationship.Decisions
	// version is another one whenever all is; from is all by table.
	version int64
	from    map[sdk.TableRef]relationship.Decisions
}

// granule is the coarsest resolution of file times that is supported.
const granule = 2 * time.Second

// look reads the file if it is not as it was.
// Errors: as of relationship.LoadDecisions.
func (d *decided) look() error {
	info, err := os.Stat(d.path)
	if err != nil {
		info = nil // reading it says what is wrong, if anything
	}
	if d.read && !d.racy && info != nil && d.info != nil &&
		os.SameFile(info, d.info) && info.Size() == d.info.Size() && info.ModTime().Equal(d.info.ModTime()) {
		return nil
	}
	d.read = false
	all, err := relationship.LoadDecisions(d.path)
	if err != nil {
		return err
	}
	d.info, d.read = info, true
	d.racy = info != nil && time.Since(info.ModTime()) < granule
	if d.version > 0 && reflect.DeepEqual(all, d.all) {
		return nil
	}
	d.all, d.from = all, map[sdk.TableRef]relationship.Decisions{}
	for _, one := range all {
		d.from[one.From] = append(d.from[one.From], one)
	}
	d.version++
	return nil
}
