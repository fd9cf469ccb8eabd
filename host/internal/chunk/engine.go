package chunk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Engine stores chunks in the state store. It opens the store at the first use.
// Concurrency: its methods may be called concurrently, also by several processes, but the caller ensures that only one
// writes a repository at a time.
type Engine struct {
	store *store.Lazy
	now   func() time.Time

	mu   sync.Mutex
	view *View
}

// New returns the Engine of a project.
func New(state *store.Lazy, now func() time.Time) *Engine { return &Engine{store: state, now: now} }

// Key identifies a file of a repository and the parser that divided it.
type Key = store.ChunkKey

// Hash is the SHA-256 of a file's text.
type Hash [sha256.Size]byte

// Of returns the hash of a text.
func Of(text string) Hash { return sha256.Sum256([]byte(text)) }

// File is a file with its chunks.
type File struct {
	Key
	Version int // of the parser
	Hash    Hash
	Pieces  []Piece
}

// NewFile divides a text into chunks.
func NewFile(path string, p Parser, text string) File {
	return File{Key: Key{Path: path, Parser: p.ID}, Version: p.Version, Hash: Of(text), Pieces: p.Split(text)}
}

// NewParsed returns a file that somebody else's parser divided. version is that of the parser, such as 1.2.0.
func NewParsed(path, parser, version string, pieces []Piece) File {
	major, _, _ := strings.Cut(version, ".")
	number, _ := strconv.Atoi(major) // the hash has all of it
	content := fmt.Appendf(nil, "%q", version)
	for _, p := range pieces {
		content = fmt.Appendf(content, "%q %d %d %q\n", p.Heading, p.First, p.Last, p.Text)
	}
	return File{Key: Key{Path: path, Parser: parser}, Version: number, Hash: sha256.Sum256(content), Pieces: pieces}
}

// Kept describes a stored file, without its chunks.
type Kept struct {
	Key
	Version int // of the parser
	Hash    Hash
	// Learned is the hash of the text that the memory last learned from; the zero Hash = none.
	Learned Hash
	// WrittenAt is when its chunks were last stored.
	// Units: milliseconds.
	WrittenAt time.Time
}

// Repo is a stored repository.
type Repo struct {
	Name string
	// Connection that its files are about; "" = none.
	Connection string
	// Revision of the last sync without faults; "" = there was none.
	Revision string
	// Folder that is indexed under this name; "" = none.
	Folder string
}

// Batch is the content of one transaction: files to store and files to delete.
type Batch struct {
	Repo, Connection, Folder string
	Files                    []File
	Deleted                  []Key
}

// Write stores and deletes the files of a batch in one transaction. It replaces the chunks that the same parser made of
// a file before.
// Errors: KindLimit (disk full), KindDenied, KindConflict with Retry.
func (e *Engine) Write(ctx context.Context, b *Batch) error {
	s, err := e.store.Get(ctx)
	if err != nil {
		return err
	}
	out := store.ChunkBatch{Repo: b.Repo, Connection: b.Connection, Folder: b.Folder, At: e.now(), Deleted: b.Deleted}
	for i := range b.Files {
		f := &b.Files[i]
		out.Files = append(out.Files, store.ChunkFile{Path: f.Path, Parser: f.Parser, ParserVersion: f.Version, Hash: f.Hash[:]})
		chunks := make([]store.Chunk, len(f.Pieces))
		for n, p := range f.Pieces {
			hash := Of(p.Text)
			chunks[n] = store.Chunk{Ordinal: n + 1, Hash: hash[:], Heading: p.Heading, FirstLine: p.First, LastLine: p.Last, Content: p.Text}
		}
		out.Chunks = append(out.Chunks, chunks)
	}
	return s.PutChunks(ctx, &out)
}

// Learned records which text of a file the memory learned from.
func (e *Engine) Learned(ctx context.Context, repo string, k Key, text Hash) error {
	s, err := e.store.Get(ctx)
	if err != nil {
		return err
	}
	return s.PutChunkLearned(ctx, repo, k, text[:])
}

// End records the files of a repository after a sync without faults, and returns its revision: r.Revision, or one that
// is computed.
// Shape: a computed revision is the same for equal files with equal texts.
func (e *Engine) End(ctx context.Context, r *Repo) (revision string, err error) {
	s, err := e.store.Get(ctx)
	if err != nil {
		return "", err
	}
	files, err := s.ChunkFiles(ctx, r.Name)
	if err != nil {
		return "", err
	}
	manifest, contents := sha256.New(), sha256.New()
	for i := range files {
		f := &files[i]
		fmt.Fprintf(manifest, "%q\n", f.Path) // writing to a hash never fails
		fmt.Fprintf(contents, "%q %s.%d %x\n", f.Path, f.Parser, f.ParserVersion, f.Hash)
	}
	revision = cmp.Or(r.Revision, hex.EncodeToString(contents.Sum(nil)[:16]))
	return revision, s.EndChunkSync(ctx, &store.ChunkEnd{
		Repo: r.Name, Connection: r.Connection, Folder: r.Folder, Manifest: manifest.Sum(nil), Revision: revision, At: e.now(),
	})
}

// Began reports whether the state store exists. If not, no file was ever stored.
func (e *Engine) Began() bool {
	_, err := os.Stat(e.store.Path())
	return err == nil
}

// Repos returns the stored repositories, by name.
func (e *Engine) Repos(ctx context.Context) (all []Repo, err error) {
	if !e.Began() {
		return nil, nil
	}
	s, err := e.store.Get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.ChunkRepos(ctx)
	for i := range rows {
		r := &rows[i]
		all = append(all, Repo{Name: r.Repo, Connection: r.Connection, Revision: r.Revision, Folder: r.Folder})
	}
	return all, err
}

// Repo returns a stored repository and its files.
// Shape: an unknown repository has only its name, and an empty map.
func (e *Engine) Repo(ctx context.Context, name string) (Repo, map[Key]Kept, error) {
	r, kept := Repo{Name: name}, map[Key]Kept{}
	repos, err := e.Repos(ctx)
	if err != nil || len(repos) == 0 {
		return r, kept, err
	}
	if i := slices.IndexFunc(repos, func(o Repo) bool { return o.Name == name }); i >= 0 {
		r = repos[i]
	}
	s, err := e.store.Get(ctx)
	if err != nil {
		return r, nil, err
	}
	files, err := s.ChunkFiles(ctx, name)
	for i := range files {
		f := &files[i]
		k := Kept{Key: Key{Path: f.Path, Parser: f.Parser}, Version: f.ParserVersion, WrittenAt: f.WrittenAt}
		copy(k.Hash[:], f.Hash)
		copy(k.Learned[:], f.Learned)
		kept[k.Key] = k
	}
	return r, kept, err
}

// View is the list of the stored files that have chunks, for search. It is immutable.
type View struct {
	version string
	files   []Listed
}

// Listed is a file of a repository in a View.
type Listed struct {
	Repo, Path string
	Connection string // "" = none
	// Content changes when its chunks change.
	Content [sha256.Size]byte
	Chunks  int
}

// Files returns the files, ordered by repository and path. The caller must not change the slice.
func (v *View) Files() []Listed { return v.files }

// View returns the current list of files.
// Shape: the same *View while nothing changes; an empty one without a state store.
func (e *Engine) View(ctx context.Context) (*View, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	version, connections := "", map[string]string{}
	var s *store.Store
	if e.Began() {
		var err error
		if s, err = e.store.Get(ctx); err != nil {
			return nil, err
		}
		repos, err := s.ChunkRepos(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range repos {
			version += fmt.Sprintf("%q %q %d\n", r.Repo, r.Connection, r.Version)
			connections[r.Repo] = r.Connection
		}
	}
	if e.view != nil && e.view.version == version {
		return e.view, nil
	}
	v := &View{version: version}
	if version != "" {
		files, err := s.ChunkFiles(ctx, "")
		if err != nil {
			return nil, err
		}
		v.files = listed(files, connections)
	}
	e.view = v
	return v, nil
}

// listed merges the rows of files that several parsers divided.
func listed(files []store.ChunkFile, connections map[string]string) (all []Listed) {
	for i := range files {
		f := &files[i]
		if f.Chunks == 0 {
			continue
		}
		content := fmt.Appendf(nil, "%s.%d %x", f.Parser, f.ParserVersion, f.Hash)
		if last := len(all) - 1; last >= 0 && all[last].Repo == f.Repo && all[last].Path == f.Path {
			all[last].Content = sha256.Sum256(append(all[last].Content[:], content...))
			all[last].Chunks += f.Chunks
			continue
		}
		all = append(all, Listed{Repo: f.Repo, Path: f.Path, Connection: connections[f.Repo], Content: sha256.Sum256(content), Chunks: f.Chunks})
	}
	return all
}

// Pieces returns the chunks of a file, in order; none for a file that is not stored.
func (e *Engine) Pieces(ctx context.Context, repo, path string) ([]Piece, error) {
	s, err := e.store.Get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.Chunks(ctx, repo, path)
	pieces := make([]Piece, len(rows))
	for i := range rows {
		pieces[i] = Piece{Heading: rows[i].Heading, First: rows[i].FirstLine, Last: rows[i].LastLine, Text: rows[i].Content}
	}
	return pieces, err
}

// Says reports whether a stored file contains a text, apart from white space. The file other, named repository/path, is
// left out.
// Units: in the worst case it reads all chunks.
func (e *Engine) Says(ctx context.Context, text, other string) (said bool, err error) {
	s, err := e.store.Get(ctx)
	if err != nil {
		return false, err
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return false, nil
	}
	longest := slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	text = strings.Join(words, " ")
	err = s.ChunksWith(ctx, longest, func(repo, path, content string) bool {
		said = repo+"/"+path != other && strings.Contains(strings.Join(strings.Fields(content), " "), text)
		return !said
	})
	return said, err
}

// ID returns the id of the n-th chunk of a file, counted from 1: "repository/path#n".
func ID(repo, path string, n int) string { return repo + "/" + path + "#" + strconv.Itoa(n) }

// Find returns the chunk with an id; nil = it is not stored any more.
// Errors: KindInternal for an invalid id; those of the store.
func (e *Engine) Find(ctx context.Context, id string) (*Piece, error) {
	repo, rest, _ := strings.Cut(id, "/")
	at := strings.LastIndexByte(rest, '#')
	n, err := strconv.Atoi(rest[at+1:])
	if at < 0 || err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "%q is no id of a chunk", id)
	}
	pieces, err := e.Pieces(ctx, repo, rest[:at])
	if err != nil || n < 1 || n > len(pieces) {
		return nil, err
	}
	return &pieces[n-1], nil
}
