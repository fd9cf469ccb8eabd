package store

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"strconv"

	"github.com/pressly/goose/v3"

	"github.com/loam-data/loam/sdk"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// latestVersion is the schema version this program knows: the number of the
// last migration. Migrations are never changed once released.
var latestVersion = lastMigration(migrationFiles)

func lastMigration(files fs.FS) (latest int64) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	const prefix = len("migrations/")
	for _, name := range names {
		version, err := strconv.ParseInt(name[prefix:prefix+5], 10, 64)
		if err != nil {
			panic("store: migration " + name + " does not start with five digits")
		}
		latest = max(latest, version)
	}
	return latest
}

// migrate brings the schema up to date. The caller holds the lock, so that two
// processes never migrate one file. Each migration is one transaction.
// Errors: KindUnsupported for a schema that a newer program made.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	version, err := schemaVersion(ctx, db)
	switch {
	case err != nil:
		return err
	case version == latestVersion:
		return nil
	case version > latestVersion:
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s was written by a newer Loam (schema %d; this one knows %d)", path, version, latestVersion).
			WithHint("upgrade loam, or move the file aside to start a new one")
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// schemaVersion returns the version of the file's schema, 0 for a new file.
func schemaVersion(ctx context.Context, db *sql.DB) (version int64, err error) {
	var migrated bool
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", goose.DefaultTablename).Scan(&migrated)
	if err != nil || !migrated {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename+" WHERE is_applied").Scan(&version)
	return version, err
}
