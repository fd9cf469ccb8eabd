package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// ChunkRepo is a repository of files.
type ChunkRepo struct {
	Repo, Connection string
	Version          int64
	Manifest         []byte // nil = no sync ended without errors
	Revision         string
	SyncedAt         time.Time
	Folder           string // that is indexed under this name; "" = none
}

// ChunkFile is a file parsed by one parser.
type ChunkFile struct {
	Repo, Path, Parser string
	ParserVersion      int
	Hash               []byte
	Chunks             int
	Learned            []byte // nil = no facts were learned from it
	WrittenAt          time.Time
}

// Chunk is a part of a file.
type Chunk struct {
	Ordinal             int
	Hash                []byte
	Heading             string
	FirstLine, LastLine int // 0 = not known
	Content             string
}

// ChunkKey identifies a parsed file of a repository.
type ChunkKey struct{ Path, Parser string }

// ChunkBatch is the content of one transaction on a repository.
type ChunkBatch struct {
	Repo, Connection, Folder string
	At                       time.Time
	Files                    []ChunkFile
	Chunks                   [][]Chunk // of each of Files
	Deleted                  []ChunkKey
}

// PutChunks writes a batch, all or none of it. It writes the chunks of each file, verifies them, and then deletes other
// chunks of the same file and parser.
// Errors: KindInternal when the stored rows differ from the batch; KindLimit (disk full), KindConflict
// with Retry.
func (s *Store) PutChunks(ctx context.Context, b *ChunkBatch) error {
	return s.transact(ctx, "keep the texts of files", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO chunk_repo (repo, connection, version, revision, folder) VALUES (?, ?, 1, '', ?)
			ON CONFLICT (repo) DO UPDATE SET connection = excluded.connection, version = chunk_repo.version + 1, folder = excluded.folder`,
			b.Repo, b.Connection, b.Folder); err != nil {
			return err
		}
		if len(b.Files) > 0 {
			if err := putFiles(ctx, tx, b); err != nil {
				return err
			}
		}
		for _, k := range b.Deleted {
			for _, table := range []string{"chunk", "chunk_file"} {
				if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE repo = ? AND path = ? AND parser = ?`, b.Repo, k.Path, k.Parser); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func putFiles(ctx context.Context, tx *sql.Tx, b *ChunkBatch) (err error) {
	insert, err := tx.PrepareContext(ctx, `
		INSERT INTO chunk (repo, path, parser, parser_version, ordinal, hash, heading, first_line, last_line, content)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (repo, path, parser, parser_version, ordinal, hash)
		DO UPDATE SET heading = excluded.heading, first_line = excluded.first_line, last_line = excluded.last_line, content = excluded.content`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for i := range b.Files {
		if err := putFile(ctx, tx, insert, b, i); err != nil {
			return err
		}
	}
	return nil
}

// putFile writes the new chunks of a file, verifies that they are stored, and deletes the other ones.
func putFile(ctx context.Context, tx *sql.Tx, insert *sql.Stmt, b *ChunkBatch, i int) error {
	f := &b.Files[i]
	current := map[int]string{}
	for _, c := range b.Chunks[i] {
		current[c.Ordinal] = string(c.Hash)
		if _, err := insert.ExecContext(ctx, b.Repo, f.Path, f.Parser, f.ParserVersion, c.Ordinal, c.Hash, c.Heading, c.FirstLine, c.LastLine, c.Content); err != nil {
			return err
		}
	}
	stored, stale, err := storedChunks(ctx, tx, b.Repo, f, current)
	if err != nil {
		return err
	}
	if stored != len(b.Chunks[i]) {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "%s has %d chunks after %d were written", f.Path, stored, len(b.Chunks[i])).
			WithHint("run the command again")
	}
	for _, row := range stale {
		if _, err := tx.ExecContext(ctx, `DELETE FROM chunk WHERE rowid = ?`, row); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO chunk_file (repo, path, parser, parser_version, hash, chunks, written_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (repo, path, parser)
		DO UPDATE SET parser_version = excluded.parser_version, hash = excluded.hash, chunks = excluded.chunks, written_at = excluded.written_at`,
		b.Repo, f.Path, f.Parser, f.ParserVersion, f.Hash, len(b.Chunks[i]), b.At.UnixMilli())
	return err
}

// storedChunks counts the stored chunks of a file and parser that are current, and returns the rows of the other ones.
func storedChunks(ctx context.Context, tx *sql.Tx, repo string, f *ChunkFile, current map[int]string) (stored int, stale []int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT rowid, parser_version, ordinal, hash FROM chunk WHERE repo = ? AND path = ? AND parser = ?`, repo, f.Path, f.Parser)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row int64
		var version, ordinal int
		var hash []byte
		if err := rows.Scan(&row, &version, &ordinal, &hash); err != nil {
			return 0, nil, err
		}
		if version == f.ParserVersion && current[ordinal] == string(hash) {
			stored++
		} else {
			stale = append(stale, row)
		}
	}
	return stored, stale, rows.Err()
}

// PutChunkLearned records that facts were learned from the content of a file.
func (s *Store) PutChunkLearned(ctx context.Context, repo string, k ChunkKey, hash []byte) error {
	_, err := s.write.ExecContext(ctx, `UPDATE chunk_file SET learned = ? WHERE repo = ? AND path = ? AND parser = ?`, hash, repo, k.Path, k.Parser)
	return explain("note what a file teaches", s.path, err)
}

// ChunkEnd is the end of a sync that had no errors.
type ChunkEnd struct {
	Repo, Connection, Folder string
	Manifest                 []byte
	Revision                 string
	At                       time.Time
}

// EndChunkSync stores the manifest and the revision of a repository, which need not exist before.
func (s *Store) EndChunkSync(ctx context.Context, e *ChunkEnd) error {
	_, err := s.write.ExecContext(ctx, `
		INSERT INTO chunk_repo (repo, connection, version, manifest, revision, synced_at, folder) VALUES (?, ?, 1, ?, ?, ?, ?)
		ON CONFLICT (repo) DO UPDATE SET manifest = excluded.manifest, revision = excluded.revision, synced_at = excluded.synced_at`,
		e.Repo, e.Connection, e.Manifest, e.Revision, e.At.UnixMilli(), e.Folder)
	return explain("keep the revision of a repository", s.path, err)
}

// ChunkCall is a call that named itself.
type ChunkCall struct {
	ID     string
	Digest []byte
	Answer []byte // JSON
	At     time.Time
}

// PutChunkCall stores a call or its new answer, and deletes calls from before a time.
func (s *Store) PutChunkCall(ctx context.Context, c *ChunkCall, before time.Time) error {
	return s.transact(ctx, "keep the answer of a call", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM chunk_call WHERE at < ?`, before.UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO chunk_call (id, digest, answer, at) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET answer = excluded.answer`, c.ID, c.Digest, string(c.Answer), c.At.UnixMilli())
		return err
	})
}

// ChunkCall returns the call with an id; nil = there is none.
func (s *Store) ChunkCall(ctx context.Context, id string) (*ChunkCall, error) {
	c, at := ChunkCall{ID: id}, int64(0)
	err := s.read.QueryRowContext(ctx, `SELECT digest, answer, at FROM chunk_call WHERE id = ?`, id).Scan(&c.Digest, &c.Answer, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	c.At = time.UnixMilli(at).UTC()
	return &c, explain("find a call", s.path, err)
}

// ChunkRepos returns the repositories, in the order of their names.
func (s *Store) ChunkRepos(ctx context.Context) (all []ChunkRepo, err error) {
	defer func() { err = explain("list the repositories of files", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT repo, connection, version, manifest, revision, coalesce(synced_at, 0), folder FROM chunk_repo ORDER BY repo`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r ChunkRepo
		var at int64
		if err := rows.Scan(&r.Repo, &r.Connection, &r.Version, &r.Manifest, &r.Revision, &at, &r.Folder); err != nil {
			return nil, err
		}
		if at > 0 {
			r.SyncedAt = time.UnixMilli(at).UTC()
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// ChunkFiles returns the files of a repository, "" = of all, in order.
func (s *Store) ChunkFiles(ctx context.Context, repo string) (all []ChunkFile, err error) {
	defer func() { err = explain("list the files of a repository", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `
		SELECT repo, path, parser, parser_version, hash, chunks, learned, written_at FROM chunk_file
		WHERE ?1 = '' OR repo = ?1 ORDER BY repo, path, parser`, repo)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var f ChunkFile
		var at int64
		if err := rows.Scan(&f.Repo, &f.Path, &f.Parser, &f.ParserVersion, &f.Hash, &f.Chunks, &f.Learned, &at); err != nil {
			return nil, err
		}
		f.WrittenAt = time.UnixMilli(at).UTC()
		all = append(all, f)
	}
	return all, rows.Err()
}

// Chunks returns the chunks of a file, of all parsers, in order.
func (s *Store) Chunks(ctx context.Context, repo, path string) (all []Chunk, err error) {
	defer func() { err = explain("read the text of a file", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `
		SELECT ordinal, hash, heading, first_line, last_line, content FROM chunk WHERE repo = ? AND path = ? ORDER BY parser, ordinal`, repo, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c Chunk
		if err := rows.Scan(&c.Ordinal, &c.Hash, &c.Heading, &c.FirstLine, &c.LastLine, &c.Content); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// ChunksWith yields the chunks that have a word, of all files, until yield returns false.
// Units: the cost is that of reading all chunks.
func (s *Store) ChunksWith(ctx context.Context, word string, yield func(repo, path, content string) bool) (err error) {
	defer func() { err = explain("read the texts of files", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, "SELECT repo, path, content FROM chunk WHERE instr(content, ?) > 0", word)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var repo, path, content string
		if err := rows.Scan(&repo, &path, &content); err != nil {
			return err
		}
		if !yield(repo, path, content) {
			return nil
		}
	}
	return rows.Err()
}
