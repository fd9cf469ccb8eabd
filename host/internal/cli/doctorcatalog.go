package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// oldAfter is the age from which a snapshot is worth a word.
const oldAfter = 7 * 24 * time.Hour

// catalog reads all of a connection's last snapshot: a damage is found now, not
// when an agent needs that table.
func (d *doctor) catalog(ctx context.Context, c connection.Connection) {
	subject := "catalog " + string(c.ID)
	image, err := d.rooms.Catalogs.Of(string(c.ID)).Latest()
	if sdk.KindOf(err) == sdk.KindNotFound {
		d.warn(subject, "never scanned: agents find nothing of it", "loam scan "+string(c.ID))
		return
	}
	if err == nil {
		err = readAll(ctx, image)
	}
	if err != nil {
		d.found(subject, "", err)
		return
	}
	d.found(subject, fmt.Sprintf("%s, %s, scanned %s", plural(image.Counts.Tables, "table"), plural(image.Counts.Columns, "column"), ago(image.ExtractedAt)), nil)
	if image.Source != "" && image.Source != c.Source() {
		d.warn(subject, "loam.yaml leads to another warehouse than the one that was scanned", "loam scan "+string(c.ID))
	}
	if time.Since(image.ExtractedAt) > oldAfter {
		d.warn(subject, "what was scanned is old: "+clock(image.ExtractedAt), "loam scan "+string(c.ID))
	}
	if n := len(image.Coverage.Warnings); n > 0 {
		d.warn(subject, "the last scan ended with "+plural(n, "warning"), "see them: loam catalog list")
	}
	d.decisions(ctx, c, image)
}

// readAll reads every block of a snapshot.
func readAll(ctx context.Context, image *catalog.Image) error {
	for i := range image.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := image.At(i); err != nil {
			return err
		}
		if _, err := image.Profile(i); err != nil {
			return err
		}
	}
	attached, err := image.Attachment()
	if err != nil {
		return err
	}
	_, err = relationship.Decode(attached)
	return err
}

// decisions looks for what a person decided of tables and columns that are gone.
func (d *doctor) decisions(ctx context.Context, c connection.Connection, image *catalog.Image) {
	subject := "relationships " + string(c.ID)
	all, err := d.rooms.Review.List(ctx, review.Snapshot{Connection: c.ID, Image: image})
	if err != nil {
		d.found(subject, "", err)
		return
	}
	for _, l := range all {
		if l.Stale {
			d.warn(subject, "a decision is about tables or columns that are gone: "+l.Text(),
				fmt.Sprintf("loam catalog relationships forget -c %s %s", c.ID, l.ID))
		}
	}
}

func (d *doctor) wiki(ctx context.Context) {
	view, err := d.rooms.Wiki.View(ctx)
	if err != nil {
		d.found("wiki", "", err)
		return
	}
	d.found("wiki", plural(view.Len(), "page"), nil)
	d.brokenPages(view)
	for _, dead := range deadLinks(view) {
		d.warn("wiki", dead.Msg, dead.Hint)
	}
}

func (d *doctor) brokenPages(view *wiki.View) {
	for _, p := range view.Problems() {
		d.found("wiki", "", p.Err)
	}
}

// index makes what is missing of the search index, and says what cannot be
// searched nevertheless.
func (d *doctor) index(ctx context.Context) {
	report := d.app.progressLine()
	err := d.rooms.Index.Refresh(ctx, func(p sdk.Progress) { report.update(share(p), p.Phase) })
	report.clear()
	if err != nil {
		d.found("search", "", err)
		return
	}
	state, err := d.rooms.Index.Current(ctx)
	if err != nil {
		d.found("search", "", err)
		return
	}
	defer state.Release()
	if len(state.Notes) == 0 {
		d.found("search", "the index is up to date", nil)
	}
	for _, note := range state.Notes {
		d.warn("search", note)
	}
}

// share is how much is done of what is known to be to do.
func share(p sdk.Progress) float64 {
	if p.Total <= 0 {
		return 0
	}
	return float64(p.Done) / float64(p.Total)
}

func (d *doctor) warn(subject, detail string, mend ...string) {
	d.add(finding{Subject: subject, OK: true, Warning: true, Detail: detail, Mend: mend})
}
