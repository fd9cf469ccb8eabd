package wire

import (
	"time"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func encodeConfig(c sdk.Config) *pb.Config {
	out := &pb.Config{Json: c.JSON}
	if c.Secrets != nil {
		out.Secrets = make(map[string][]byte, len(c.Secrets))
		for path, secret := range c.Secrets {
			out.Secrets[text(path)] = []byte(secret.Reveal())
		}
	}
	return out
}

func decodeConfig(c *pb.Config) sdk.Config {
	out := sdk.Config{JSON: c.GetJson()}
	if c.GetSecrets() != nil {
		out.Secrets = make(map[string]sdk.Secret, len(c.Secrets))
		for path, secret := range c.Secrets {
			out.Secrets[path] = sdk.NewSecret(string(secret))
		}
	}
	return out
}

func encodeOpen(r sdk.OpenRequest) *pb.OpenRequest {
	return &pb.OpenRequest{
		ConnectionId: text(r.ConnectionID), Config: encodeConfig(r.Config), MaxOpen: small(r.MaxOpen),
		IdleSeconds: units(r.IdleTimeout, time.Second), StatementTimeoutMs: millis(r.StatementTimeout),
		MemoryBytes: r.MemoryBytes, Resume: r.Resume,
	}
}

func decodeOpen(r *pb.OpenRequest) sdk.OpenRequest {
	return sdk.OpenRequest{
		ConnectionID: r.GetConnectionId(), Config: decodeConfig(r.GetConfig()), MaxOpen: int(r.GetMaxOpen()),
		IdleTimeout:      duration(r.GetIdleSeconds(), time.Second),
		StatementTimeout: duration(r.GetStatementTimeoutMs(), time.Millisecond),
		MemoryBytes:      r.GetMemoryBytes(), Resume: r.GetResume(),
	}
}

func encodeServerInfo(i sdk.ServerInfo) *pb.OpenResponse {
	out := &pb.OpenResponse{
		Product: text(i.Product), ProductVersion: text(i.Version), CurrentUser: text(i.CurrentUser), Database: text(i.Database),
		ReadOnly: pb.ReadOnlyLevel(i.ReadOnly), ReadOnlyMechanism: text(i.ReadOnlyMechanism),
		Warnings:       convert(i.Warnings, encodeDiagnostic),
		DefaultCatalog: text(i.DefaultCatalog), DefaultSchema: text(i.DefaultSchema), State: text(string(i.State)),
	}
	if i.Dialect != nil {
		out.Dialect = encodeDialect(*i.Dialect)
	}
	return out
}

func decodeServerInfo(i *pb.OpenResponse) sdk.ServerInfo {
	out := sdk.ServerInfo{
		Product: i.GetProduct(), Version: i.GetProductVersion(), CurrentUser: i.GetCurrentUser(), Database: i.GetDatabase(),
		ReadOnly: decodeReadOnly(i.GetReadOnly()), ReadOnlyMechanism: i.GetReadOnlyMechanism(),
		Warnings:       convert(i.GetWarnings(), decodeDiagnostic),
		DefaultCatalog: i.GetDefaultCatalog(), DefaultSchema: i.GetDefaultSchema(), State: sdk.State(i.GetState()),
	}
	if i.GetDialect() != nil {
		d := decodeDialect(i.GetDialect())
		out.Dialect = &d
	}
	return out
}

func encodeDiagnostic(d sdk.Diagnostic) *pb.Diagnostic {
	return &pb.Diagnostic{
		Severity: pb.Diagnostic_Severity(d.Severity), Summary: text(d.Summary), Detail: text(d.Detail), Path: text(d.Path),
	}
}

// decodeDiagnostic takes a severity that it does not know for an error.
func decodeDiagnostic(d *pb.Diagnostic) sdk.Diagnostic {
	severity := sdk.SeverityError
	if d.GetSeverity() == pb.Diagnostic_SEVERITY_WARNING {
		severity = sdk.SeverityWarning
	}
	return sdk.Diagnostic{Severity: severity, Summary: cut(d.GetSummary(), maxErrorText), Detail: cut(d.GetDetail(), maxErrorText), Path: cut(d.GetPath(), maxHint)}
}

func encodeTestStep(s sdk.TestStep) *pb.TestStep {
	out := &pb.TestStep{
		Name: text(s.Name), ElapsedUs: s.Elapsed.Microseconds(), Detail: text(s.Detail),
		Warning: s.Warning, Statements: texts(s.Statements),
	}
	if s.Err != nil {
		out.Error = encodeErrorInfo(s.Err)
	}
	return out
}

func decodeTestStep(s *pb.TestStep) sdk.TestStep {
	out := sdk.TestStep{
		Name: cut(s.GetName(), maxShortText), Elapsed: micros(s.GetElapsedUs()), Detail: cut(s.GetDetail(), maxErrorText),
		Warning: s.GetWarning(), Statements: s.GetStatements(),
	}
	if s.GetError() != nil {
		out.Err = decodeErrorInfo(s.Error)
	}
	return out
}
