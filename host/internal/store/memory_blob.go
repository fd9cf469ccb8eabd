package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// maxBlob is the largest content that is read back.
const maxBlob = 64 << 20

var blobEncoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(256<<10))
})

var blobDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBlob))
})

func insertBlob(ctx context.Context, tx *sql.Tx, b MemoryBlob) error {
	encoder, err := blobEncoder()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO memory_blob (hash, bytes, content) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING`,
		b.Hash, len(b.Content), encoder.EncodeAll(b.Content, nil))
	return err
}

// MemoryBlob returns a content by its hash; nil when it is not kept.
func (s *Store) MemoryBlob(ctx context.Context, hash []byte) (content []byte, err error) {
	defer func() { err = explain("read a revision", s.path, err) }()
	var packed []byte
	err = s.read.QueryRowContext(ctx, `SELECT content FROM memory_blob WHERE hash = ?`, hash).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	decoder, err := blobDecoder()
	if err != nil {
		return nil, err
	}
	return decoder.DecodeAll(packed, []byte{})
}

// MemoryRetention says which revisions are kept.
type MemoryRetention struct {
	// Revisions is the number of revisions of a file that are kept regardless of their age.
	Revisions int
	// Since is the time from which on all revisions are kept, so that later changes can be reverted
	// exactly.
	Since time.Time
}

// PruneMemory deletes revisions and contents that need not be kept. The caller makes sure that no
// change is being written.
func (s *Store) PruneMemory(ctx context.Context, r MemoryRetention) error {
	return s.transact(ctx, "forget old revisions", func(tx *sql.Tx) error {
		since := r.Since.UnixMilli()
		_, revisions := tx.ExecContext(ctx, `
			DELETE FROM memory_revision WHERE at < ? AND
			(SELECT count(*) FROM memory_revision later WHERE later.path = memory_revision.path AND later.n > memory_revision.n) >= ?`, since, r.Revisions)
		_, before := tx.ExecContext(ctx, `UPDATE memory_change SET before_hash = NULL WHERE before_hash IS NOT NULL AND applied_at < ?`, since)
		_, blobs := tx.ExecContext(ctx, `
			DELETE FROM memory_blob WHERE hash NOT IN (SELECT hash FROM memory_revision)
			AND hash NOT IN (SELECT before_hash FROM memory_change WHERE before_hash IS NOT NULL)
			AND hash NOT IN (SELECT after_hash FROM memory_change WHERE before_hash IS NOT NULL AND after_hash IS NOT NULL)`)
		return errors.Join(revisions, before, blobs)
	})
}
