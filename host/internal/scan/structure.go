package scan

import (
	"context"

	"github.com/loam-data/loam/sdk"
)

// structure scans the tables into the snapshot.
func (j *job) structure(ctx context.Context) error {
	j.progress.report(sdk.Progress{Phase: phaseConnect})
	return j.with(ctx, func(session sdk.Session) error {
		server := session.Server()
		if j.dialect = server.DialectOf(j.description.Dialects); j.dialect == nil {
			return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "connector %s describes no SQL dialect, so its tables cannot be named", j.warehouse.Connector).
				WithHint("install a version of the connector that passes the conformance kit")
		}
		globs, err := newGlobs(j.settings, len(j.dialect.Namespace)+1)
		if err != nil {
			return err
		}
		w := &tableWriter{job: j, ctx: ctx, globs: globs}
		j.progress.report(sdk.Progress{Phase: phaseTables, Unit: unitTables})
		most, _ := j.purse.left()
		summary, err := session.Scan(ctx, sdk.ScanRequest{Include: j.settings.Include, Exclude: j.settings.Exclude, Since: j.since(), MaxBytesScanned: most}, w)
		if err != nil {
			return err
		}
		j.purse.pay(sdk.Summary{BytesBilled: summary.BytesBilled})
		if !summary.Complete {
			return j.incomplete()
		}
		if j.description.Capabilities.IncrementalScan {
			j.identity.Since = summary.Since
		}
		return j.selected(ctx, session, globs, w.tables)
	})
}

// since returns the token of the last scan if this one selects the same.
func (j *job) since() string {
	base := j.writer.Base()
	if base == nil || !j.description.Capabilities.IncrementalScan {
		return ""
	}
	if !sameGlobs(base.Coverage.Include, j.settings.Include) || !sameGlobs(base.Coverage.Exclude, j.settings.Exclude) {
		return ""
	}
	return base.Since
}

func (j *job) incomplete() error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "the scan of %s could not list everything, so it is not kept", j.warehouse.ID)
	if all := j.warnings.list(); len(all) > 0 {
		e.Msg += ": " + all[0].Message
	}
	e.Retry = true
	return e.WithHint("run loam scan %s again, or loam connection test %s to see what is wrong", j.warehouse.ID, j.warehouse.ID)
}

const (
	unitTables = "tables"
	// tellEvery is after how many tables there is a report, where the connector
	// makes none of its own.
	tellEvery = 100
)

// tableWriter receives a scan.
type tableWriter struct {
	job    *job
	ctx    context.Context //nolint:containedctx // the scan's own; a writer has no other way to be told
	globs  *globs
	tables int64
	total  int64 // 0 = not known yet
}

// Table implements sdk.ScanWriter.
func (w *tableWriter) Table(t *sdk.Table) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.globs.note(t.TableRef)
	t, err := w.job.scrubbed(t)
	if err != nil {
		return err
	}
	if err := w.job.writer.Table(t); err != nil {
		return err
	}
	if w.tables++; w.tables%tellEvery == 0 {
		w.report()
	}
	return nil
}

// Warning implements sdk.ScanWriter.
func (w *tableWriter) Warning(warning sdk.Warning) error {
	w.job.warnings.add(warning)
	return w.ctx.Err()
}

// Progress implements sdk.ScanWriter. The tables that have arrived are counted
// here; the connector knows how many there will be.
func (w *tableWriter) Progress(p sdk.Progress) {
	if p.Unit == unitTables && p.Total > 0 {
		w.total = p.Total
	}
	w.report()
}

func (w *tableWriter) report() {
	w.job.progress.report(sdk.Progress{Phase: phaseTables, Done: w.tables, Total: max(w.total, 0), Unit: unitTables})
}
