package collect

import (
	"context"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The most that one push may have: chunks, and bytes of text. The command line has no such bound.
const (
	MaxPushChunks = 50
	MaxPushBytes  = 1 << 20
)

const (
	codeVolume = "KB_INGEST_VOLUME_EXCEEDED"
	codeSpoof  = "TENANT_SPOOF_REJECTED"
)

// Refusal is a refused push with what a program needs to react to it.
type Refusal struct {
	err     *sdk.Error
	details any
}

func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap returns the *sdk.Error with the kind and the hint.
func (r *Refusal) Unwrap() error { return r.err }

// Text returns the refusal on one screen.
func (r *Refusal) Text() string {
	return string(r.err.Kind) + ": " + r.err.Msg + "\nHint: " + r.err.Hint
}

// Details encodes as a JSON object with the code.
func (r *Refusal) Details() any { return r.details }

// volume is the details of a push that is too large.
type volume struct {
	Code  string `json:"code"`
	Error string `json:"error"`
	// BulkPath is a command line for any number of files, in their folder.
	BulkPath string `json:"bulkPath"`
	// Unit is chunks or bytes: the unit of BatchSize and Threshold.
	Unit      string `json:"unit"`
	BatchSize int    `json:"batchSize"`
	Threshold int    `json:"threshold"`
}

// admit refuses a push that is too large, before anything is done: by the chunks and the texts as they were sent, then
// by the chunks into which the texts are divided.
func (s *Service) admit(ctx context.Context, p *push) error {
	if err := s.measure(ctx, p.repo, p.chunks, p.bytes); err != nil {
		return err
	}
	chunks := p.chunks
	for _, f := range p.files {
		if f.version == "" {
			chunks += len(f.parser.Split(f.text)) - 1
		}
	}
	return s.measure(ctx, p.repo, chunks, p.bytes)
}

func (s *Service) measure(ctx context.Context, repo string, chunks, bytes int) error {
	v := volume{Code: codeVolume, Error: codeVolume, Unit: "chunks", BatchSize: chunks, Threshold: MaxPushChunks, BulkPath: "loam ingest files --repo " + repo}
	switch {
	case bytes > MaxPushBytes:
		v.Unit, v.BatchSize, v.Threshold = "bytes", bytes, MaxPushBytes
	case chunks <= MaxPushChunks:
		return nil
	}
	if !caller.Of(ctx).Shared() { // the caller may be on another machine, and no folder of this one is shown to it
		v.BulkPath += " --project-dir " + text.ShellWord(s.config.Dir)
	}
	v.BulkPath += " ."
	return &Refusal{details: v, err: sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the push has %d %s; the limit is %d", v.BatchSize, v.Unit, v.Threshold).
		WithHint("push fewer files at a time, or run in the folder of the files: %s", v.BulkPath)}
}

// spoofed refuses a push under the name of another tenant.
func spoofed(tenant string) error {
	e := sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the push claims to be of the tenant %q, which you are not", tenant).WithHint("leave tenantId out")
	e.Code = codeSpoof
	return &Refusal{err: e, details: struct {
		Code string `json:"code"`
	}{codeSpoof}}
}
