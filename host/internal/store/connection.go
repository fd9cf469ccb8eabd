package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// ConnectionState is the last known state of a connection under one configuration.
type ConnectionState struct {
	Connection string
	// Fingerprint of the configuration.
	Fingerprint string
	// Server as of OpenedAt; zero when it was never opened.
	Server   sdk.ServerInfo
	OpenedAt time.Time
	// Failure of the last attempt to open it, at FailedAt; nil when that succeeded.
	Failure  *sdk.Error
	FailedAt time.Time
}

// failure is the part of an sdk.Error that is kept.
type failure struct {
	Kind    sdk.Kind   `json:"kind"`
	Source  sdk.Source `json:"source"`
	Op      string     `json:"op,omitempty"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
	Code    string     `json:"code,omitempty"`
	Retry   bool       `json:"retry,omitempty"`
}

type warning struct {
	Severity sdk.Severity `json:"severity"`
	Summary  string       `json:"summary"`
	Detail   string       `json:"detail,omitempty"`
	Path     string       `json:"path,omitempty"`
}

// ConnectionState returns the state of a connection under a configuration; the zero
// value without one.
func (s *Store) ConnectionState(ctx context.Context, connection, fingerprint string) (ConnectionState, error) {
	state := ConnectionState{Connection: connection, Fingerprint: fingerprint}
	var (
		warnings           []byte
		failed             []byte
		openedAt, failedAt sql.NullInt64
	)
	err := s.read.QueryRowContext(ctx, `
		SELECT product, version, account, database, read_only, read_only_mechanism, warnings, opened_at, failure, failed_at
		FROM connection_state WHERE connection = ? AND fingerprint = ?`, connection, fingerprint).
		Scan(&state.Server.Product, &state.Server.Version, &state.Server.CurrentUser, &state.Server.Database,
			&state.Server.ReadOnly, &state.Server.ReadOnlyMechanism, &warnings, &openedAt, &failed, &failedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return ConnectionState{}, nil
	}
	if err == nil {
		state.OpenedAt, state.FailedAt = moment(openedAt), moment(failedAt)
		state.Server.Warnings, err = decodeWarnings(warnings)
	}
	if err == nil && failed != nil {
		state.Failure, err = decodeFailure(failed)
	}
	if err != nil {
		return ConnectionState{}, explain("read a connection's state", s.path, err)
	}
	return state, nil
}

// PutOpened records the server of an opened connection, and deletes its failure and
// its states under other configurations.
func (s *Store) PutOpened(ctx context.Context, connection, fingerprint string, server sdk.ServerInfo, at time.Time) error {
	warnings, err := encodeWarnings(server.Warnings)
	if err != nil {
		return explain("keep a connection's state", s.path, err)
	}
	_, err = s.write.ExecContext(ctx, `
		INSERT OR REPLACE INTO connection_state
		(connection, fingerprint, product, version, account, database, read_only, read_only_mechanism, warnings, opened_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		connection, fingerprint, server.Product, server.Version, server.CurrentUser, server.Database,
		int64(server.ReadOnly), server.ReadOnlyMechanism, string(warnings), at.UnixMilli())
	return explain("keep a connection's state", s.path, err)
}

// PutFailed records why a connection could not be opened, and keeps its known
// server.
func (s *Store) PutFailed(ctx context.Context, connection, fingerprint string, reason *sdk.Error, at time.Time) (err error) {
	defer func() { err = explain("keep a connection's state", s.path, err) }()
	text, err := json.Marshal(failure{reason.Kind, reason.Source, reason.Op, reason.Msg, reason.Hint, reason.Code, reason.Retry})
	if err != nil {
		return err
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM connection_state WHERE connection = ? AND fingerprint <> ?`, connection, fingerprint)
	if err == nil {
		_, err = tx.ExecContext(ctx, `
			INSERT INTO connection_state
			(connection, fingerprint, product, version, account, database, read_only, read_only_mechanism, warnings, failure, failed_at)
			VALUES (?, ?, '', '', '', '', 0, '', '[]', ?, ?)
			ON CONFLICT (connection) DO UPDATE SET failure = excluded.failure, failed_at = excluded.failed_at`,
			connection, fingerprint, string(text), at.UnixMilli())
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// ForgetFailure removes the failure of a connection under a configuration, if there is one.
func (s *Store) ForgetFailure(ctx context.Context, connection, fingerprint string) error {
	_, err := s.write.ExecContext(ctx, `UPDATE connection_state SET failure = NULL, failed_at = NULL WHERE connection = ? AND fingerprint = ? AND failure IS NOT NULL`, connection, fingerprint)
	return explain("keep a connection's state", s.path, err)
}

func moment(millis sql.NullInt64) time.Time {
	if !millis.Valid {
		return time.Time{}
	}
	return time.UnixMilli(millis.Int64).UTC()
}

func encodeWarnings(found []sdk.Diagnostic) ([]byte, error) {
	kept := make([]warning, len(found))
	for i, d := range found {
		kept[i] = warning(d)
	}
	return json.Marshal(kept)
}

func decodeWarnings(text []byte) ([]sdk.Diagnostic, error) {
	var kept []warning
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, err
	}
	var found []sdk.Diagnostic
	for _, w := range kept {
		found = append(found, sdk.Diagnostic(w))
	}
	return found, nil
}

func decodeFailure(text []byte) (*sdk.Error, error) {
	var f failure
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	return &sdk.Error{Kind: f.Kind, Source: f.Source, Op: f.Op, Msg: f.Message, Hint: f.Hint, Code: f.Code, Retry: f.Retry}, nil
}
