package scan

import (
	"context"

	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/sdk"
)

// sameRules reports whether the snapshot that this one takes over from has nothing
// that today's rules would take out.
func (j *job) sameRules() bool {
	base := j.writer.Base()
	return base == nil || base.Rules == j.rules.Identity()
}

// scrubbed returns a table without what a catalog does not keep of its texts. One
// that is taken over from a snapshot made under other rules is described anew.
// Errors: those of reading the snapshot.
func (j *job) scrubbed(t *sdk.Table) (*sdk.Table, error) {
	if !t.Unchanged {
		clean, _ := privacy.Scrub(t, j.dialect)
		return clean, nil
	}
	base := j.writer.Base()
	if base == nil || j.sameRules() {
		return t, nil
	}
	position, ok := base.Position(t.TableRef)
	if !ok { // the writer says what is wrong
		return t, nil
	}
	before, err := base.At(position)
	if err != nil {
		return nil, err
	}
	clean, changed := privacy.Scrub(&before.Table, j.dialect)
	if !changed {
		return t, nil
	}
	anew := *clean
	anew.Kind, anew.Fingerprint, anew.RowEstimate, anew.ByteEstimate = t.Kind, t.Fingerprint, t.RowEstimate, t.ByteEstimate
	return &anew, nil
}

// clear has the snapshots from before removed if they hold what is not kept any
// more.
// Errors: those of ctx.
func (j *job) clear(ctx context.Context) error {
	if j.before == nil || j.before.Rules == j.identity.Rules {
		return nil
	}
	for i := 0; i < j.before.Len() && !j.forget; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := j.before.At(i)
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not shown either
		}
		_, j.forget = privacy.Scrub(&t.Table, j.dialect)
		if p, err := j.before.Profile(i); err == nil && p != nil && !j.forget {
			j.forget = j.rules.Protect(&t.Table, p.Clone())
		}
	}
	if j.forget {
		j.writer.Forget()
		j.note("The snapshots from before hold values or texts that are not kept any more; they were removed.")
	}
	return nil
}
