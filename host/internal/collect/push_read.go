package collect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/sdk"
)

// push is a PushRequest that was read.
type push struct {
	repo, tenant string
	faults       []Fault
	files        []*pushed
	// named are the paths of all files, also of the faulty ones, and faulty those of which nothing is stored.
	named, faulty map[string]bool
	deleted       []string
	manifest      map[string]bool // nil = none
	base          string
	chunks, bytes int
	// spoof is the tenant that the caller claims to be; "" = none but its own.
	spoof string
}

// pushed is a file of a push: a text, or the chunks of a client's parser.
type pushed struct {
	key     chunk.Key
	parser  chunk.Parser // of a text
	text    string
	version string // of the client's parser; "" = the file is a text
	pieces  []chunk.Piece
}

// read reads the items of a push. A faulty item is a Fault and counts as one chunk.
func (s *Service) read(r *PushRequest) *push {
	p := &push{repo: r.Repo, tenant: s.config.Tenant, named: map[string]bool{}, faulty: map[string]bool{}, base: r.Base}
	p.claim(&r.Tenant)
	for _, raw := range r.Files {
		p.item(raw)
	}
	p.files = slices.DeleteFunc(p.files, func(f *pushed) bool { return p.faulty[f.key.Path] })
	for _, raw := range r.Deleted {
		p.tombstone(raw)
	}
	p.readManifest(r.Manifest)
	for _, revision := range []string{r.Base, r.Head} {
		if len(revision) > maxName || !nameable(revision) || strings.TrimSpace(revision) != revision {
			p.fault(codeBoundary, "", wrong("a revision has up to %d bytes without control characters and outer blanks", maxName))
		}
	}
	return p
}

func (p *push) fault(code, path string, err error) {
	p.faults = append(p.faults, newFault(code, path, err))
	if path != "" {
		p.faulty[path] = true
	}
}

// claim checks the tenant that the caller names.
func (p *push) claim(tenant *string) {
	if tenant != nil && *tenant != "" && *tenant != p.tenant {
		p.spoof = *tenant
	}
}

// item reads one of the files.
func (p *push) item(raw json.RawMessage) {
	var in item
	if err := decode(raw, &in); err != nil {
		p.chunks++
		p.fault(codeFile, pathOf(raw), err)
		return
	}
	p.claim(in.TenantID)
	path, parser := cmp.Or(in.Path, in.SourcePath), cmp.Or(in.Parser, in.ParserID)
	if p.chunks += max(1, len(in.ParsedChunks)); p.chunks > MaxPushChunks {
		return // the push will be refused: the rest is only counted
	}
	if err := checkPath(path); err != nil {
		p.fault(codeFile, "", err)
		return
	}
	p.named[path] = true
	switch {
	case in.Path != "" && in.SourcePath != "" && in.Path != in.SourcePath, in.Parser != "" && in.ParserID != "" && in.Parser != in.ParserID:
		p.fault(codeFile, path, wrong("it names two paths or two parsers"))
	case in.RepoSlug != nil && *in.RepoSlug != p.repo:
		p.fault(codeFile, path, wrong("it is of the repository %q, and the push of %q", *in.RepoSlug, p.repo))
	case in.SchemaVersion != nil:
		p.record(&in.record, path, parser, in.ParserVersion)
	case in.ParsedChunks != nil:
		p.parsed(&in, path, parser)
	case in.Content != nil:
		p.raw(*in.Content, path, parser)
	case in.Embedding != nil:
		p.fault(codeEmbedding, path, rejected())
	default:
		p.fault(codeFile, path, wrong("it has neither content nor parsedChunks, and is no parsed-chunk-v1 record"))
	}
}

// pathOf returns the path of an item that cannot be read; "" = it has none.
func pathOf(raw json.RawMessage) string {
	var in struct{ Path, SourcePath string }
	if err := json.Unmarshal(raw, &in); err != nil {
		return ""
	}
	path := cmp.Or(in.Path, in.SourcePath)
	if checkPath(path) != nil {
		return ""
	}
	return path
}

// raw adds a text.
func (p *push) raw(text, path, parser string) {
	p.bytes += len(text)
	by, err := chunk.ParserOf(path), error(nil)
	if parser != "" {
		by, err = chunk.ParserByID(parser)
	}
	key := chunk.Key{Path: path, Parser: by.ID}
	switch {
	case err != nil:
		p.fault(codeParser, path, err)
	case strings.ContainsRune(text, 0):
		p.fault(codeParse, path, wrong("it is no text: it has a NUL"))
	case p.find(key) != nil:
		p.fault(codeFile, path, wrong("it is there twice"))
	default:
		p.files = append(p.files, &pushed{key: key, parser: by, text: text})
	}
}

// parsed adds a file with the chunks that a client's parser made.
func (p *push) parsed(in *item, path, parser string) {
	if len(in.ParsedChunks) == 0 || in.Content != nil {
		p.fault(codeFile, path, wrong("parsedChunks has at least one chunk and stands in place of content"))
		return
	}
	if slices.ContainsFunc(p.files, func(f *pushed) bool { return f.key.Path == path && f.version != "" }) {
		p.fault(codeFile, path, wrong("it is there twice"))
		return
	}
	for _, raw := range in.ParsedChunks {
		var r record
		if err := decode(raw, &r); err != nil {
			p.fault(codeChunk, path, err)
			continue
		}
		p.claim(r.TenantID)
		if r.SourcePath != "" && r.SourcePath != path || r.RepoSlug != nil && *r.RepoSlug != p.repo || r.ParserID != "" && parser != "" && r.ParserID != parser {
			p.fault(codeChunk, path, wrong("a chunk is of another file, repository or parser"))
			continue
		}
		p.record(&r, path, cmp.Or(r.ParserID, parser), cmp.Or(r.ParserVersion, in.ParserVersion, firstVersion))
	}
}

// record adds a chunk to its file.
func (p *push) record(r *record, path, parser, version string) {
	if r.Content != nil {
		p.bytes += len(*r.Content)
	}
	if r.Embedding != nil {
		p.fault(codeEmbedding, path, rejected())
		return
	}
	key := chunk.Key{Path: path, Parser: parser}
	f := p.find(key)
	piece, err := r.piece()
	switch {
	case err != nil:
	case r.SchemaVersion != nil && *r.SchemaVersion != recordVersion:
		err = wrong("schemaVersion is %q, and not %s", *r.SchemaVersion, recordVersion)
	case !parserID().MatchString(parser) || !parserVersion().MatchString(version):
		err = wrong("parserId or parserVersion is missing or invalid, such as proto and 1.0.0")
	case f != nil && f.version != version:
		err = wrong("its chunks are of two versions of a parser, or it is a text too")
	}
	if err != nil {
		p.fault(codeChunk, path, err)
		return
	}
	if f == nil {
		f = &pushed{key: key, version: version}
		p.files = append(p.files, f)
	}
	f.pieces = append(f.pieces, piece)
}

func rejected() error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "it has an embedding, which nobody can check").WithHint("send it without")
}

func (p *push) find(key chunk.Key) *pushed {
	if i := slices.IndexFunc(p.files, func(f *pushed) bool { return f.key == key }); i >= 0 {
		return p.files[i]
	}
	return nil
}

// tombstone reads the path of a file that is gone: a text, or an object with the path.
func (p *push) tombstone(raw json.RawMessage) {
	var in struct {
		Path       string  `json:"path"`
		SourcePath string  `json:"sourcePath"`
		RepoSlug   *string `json:"repoSlug"`
	}
	err := json.Unmarshal(raw, &in.Path)
	if err != nil {
		err = decode(raw, &in)
	}
	path := cmp.Or(in.Path, in.SourcePath)
	switch {
	case err != nil:
	case in.RepoSlug != nil && *in.RepoSlug != p.repo:
		err = wrong("it is of the repository %q, and the push of %q", *in.RepoSlug, p.repo)
	case p.named[path]:
		err = wrong("the push has a file with this path")
	default:
		err = checkPath(path)
	}
	if err == nil {
		p.deleted = append(p.deleted, path)
		return
	}
	if checkPath(path) != nil {
		path = ""
	}
	p.faults = append(p.faults, newFault(codeTombstone, path, err))
}

// readManifest reads the list of all paths of the repository.
func (p *push) readManifest(raw json.RawMessage) {
	if raw == nil {
		return
	}
	var in struct {
		RepoSlug       string    `json:"repoSlug"`
		PathsAfterPush *[]string `json:"pathsAfterPush"`
	}
	err := decode(raw, &in)
	switch {
	case err != nil:
	case in.RepoSlug != p.repo:
		err = wrong("the manifest is of the repository %q, and the push of %q", in.RepoSlug, p.repo)
	case in.PathsAfterPush == nil || len(*in.PathsAfterPush) > maxFiles:
		err = wrong("pathsAfterPush is missing, or has more than %d paths", maxFiles)
	}
	if err != nil {
		p.faults = append(p.faults, newFault(codeManifest, "", err))
		return
	}
	manifest := make(map[string]bool, len(*in.PathsAfterPush))
	for _, path := range *in.PathsAfterPush {
		if err := checkPath(path); err != nil {
			p.faults = append(p.faults, newFault(codeManifest, "", wrong("the manifest has an invalid path: %s", sdk.AsError(err, sdk.SourceCaller).Msg)))
			return
		}
		manifest[path] = true
	}
	p.manifest = manifest
}
