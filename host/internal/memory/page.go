package memory

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/model"
	textkit "github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxKey is the longest key of a page, in bytes, and maxDepth how many folders it may have.
	maxKey   = 512
	maxDepth = 8
	// maxSays is how much of a change one line shows, in characters.
	maxSays = 120
)

// pagePath returns the file of a page: the one that is read under its key, else the one that is written.
// Errors: KindInvalid for a key that cannot be one.
func (s *Service) pagePath(ctx context.Context, key string) (string, error) {
	parts := strings.Split(key, "/")
	bad := func(p string) bool { return p == "" || strings.HasPrefix(p, ".") }
	if len(key) > maxKey || len(parts) > maxDepth || !utf8.ValidString(key) || strings.ContainsAny(key, "\\\x00\n") || slices.ContainsFunc(parts, bad) {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "that is no key of a page").
			WithHint("use a key such as metrics/arr: no dots at the beginning of a part, no \\, at most %d bytes", maxKey)
	}
	pages, err := s.Wiki.View(ctx)
	if err != nil {
		return "", err
	}
	if p, err := pages.Page(key); err == nil {
		return "wiki/" + p.Path, nil
	}
	p, err := s.policy(ctx)
	if err != nil {
		return "", err
	}
	folder, err := p.folder(s.User)
	return path.Join(folder, key+".md"), err
}

// PageFile returns the content of a page's file and its hash for PageWrite.Base; "" for a missing page.
func (s *Service) PageFile(ctx context.Context, key string) (content, hash string, err error) {
	_, file, err := s.pageFile(ctx, key)
	if err != nil || file == nil {
		return "", "", err
	}
	return string(file), hexHash(file), nil
}

func (s *Service) pageFile(ctx context.Context, key string) (path string, content []byte, err error) {
	if path, err = s.pagePath(ctx, key); err != nil {
		return "", nil, err
	}
	content, err = s.Engine.Read(path)
	return path, content, err
}

func hexHash(content []byte) string {
	h := change.Of(content)
	return hex.EncodeToString(h[:])
}

// WritePage writes a wiki page for an actor. Unless the actor is a person, the change waits if the page is
// neither new nor Loam's own.
// Errors: KindInvalid, KindLimit, KindDenied; KindConflict when the page does not have the hash Base.
func (s *Service) WritePage(ctx context.Context, w PageWrite) (*Decided, error) {
	p, err := s.policy(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.admits(w.Actor); err != nil {
		return nil, err
	}
	w.Key = strings.TrimSuffix(w.Key, ".md")
	if w.DryRun {
		return s.writePage(ctx, p, w)
	}
	var out *Decided
	err = s.alone(ctx, func(ctx context.Context) error {
		out, err = s.writePage(ctx, p, w)
		return err
	})
	return out, err
}

// pageProposal is the change that writes a page; of a page that is as it is to be, its Blocks are nil.
func (s *Service) pageProposal(ctx context.Context, w PageWrite) (*change.Proposal, error) {
	at, before, err := s.pageFile(ctx, w.Key)
	if err != nil {
		return nil, err
	}
	content, err := s.content(w, before)
	if err != nil {
		return nil, err
	}
	proposal := &change.Proposal{Kind: change.Page, Target: w.Key, Path: at}
	if string(before) == content { // whichever version was edited: a write that was recovered is tried again
		return proposal, nil
	}
	if err := editedMeanwhile("page "+w.Key, hashText(before), w.Base); err != nil {
		return nil, err
	}
	proposal.Blocks = []change.Block{{Place: form.WholeFile, Before: string(before), After: content}}
	proposal.Says, proposal.Value = firstLine(body(content)), hashText(before)+":"+hexHash([]byte(content)) // an older text may come back
	preview, err := s.Engine.Preview(ctx, proposal)
	if err == nil && !preview.Own && !w.Actor.Person() {
		proposal.Why = []string{change.WhyPersonsPage}
	}
	return proposal, err
}

func (s *Service) writePage(ctx context.Context, p policy, w PageWrite) (*Decided, error) {
	proposal, err := s.pageProposal(ctx, w)
	if err != nil {
		return nil, err
	}
	if proposal.Blocks == nil {
		return &Decided{Target: w.Key, Path: proposal.Path, State: string(change.Applied)}, nil
	}
	proposal.Why = p.waits(w.Actor, proposal)
	if w.DryRun {
		return &Decided{Target: w.Key, Path: proposal.Path, State: string(map[bool]change.State{true: change.Pending, false: change.Applied}[len(proposal.Why) > 0])}, nil
	}
	stored, err := s.Engine.Propose(ctx, change.Origin{By: w.Actor}, []change.Proposal{*proposal})
	if err != nil {
		return nil, err
	}
	c := &stored[0].Change
	if c.State == change.Pending && len(proposal.Why) == 0 {
		if c, err = s.Engine.Apply(ctx, c.ID); err != nil {
			return nil, err
		}
	}
	return &Decided{ID: c.ID, State: string(c.Shown()), Target: c.Target, Path: c.Path, Problem: c.Problem}, nil
}

// editedMeanwhile refuses to replace what is not the version that was edited. Errors: KindConflict with both versions.
func editedMeanwhile(what, now, base string) error {
	if sameVersion(now, base) {
		return nil
	}
	named := func(version string) string {
		if version == "" {
			return "none"
		}
		return strconv.Quote(version)
	}
	return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the %s is not as it was when it was read: its version is %s, and the edited version is %s", what, named(now), named(base)).
		WithHint("read it again, and write it with its version as baseVersion")
}

func hashText(content []byte) string {
	if content == nil {
		return ""
	}
	return hexHash(content)
}

// sameVersion reports whether a base is the version of a content: its hash in hexadecimal, or the beginning of
// it that models identify a file by.
func sameVersion(now, base string) bool {
	const beginning = 2 * len(model.Hash{})
	return now == base || len(base) >= beginning && strings.HasPrefix(now, strings.ToLower(base))
}

// content is the whole file of a page that is written: its frontmatter stays where none is given, and what
// only a person says of a page no program says. It has the line ends of the file that it replaces.
func (s *Service) content(w PageWrite, before []byte) (string, error) {
	text, err := s.unixContent(w, strings.ReplaceAll(string(before), "\r\n", "\n"))
	return withLineEnds(text, w.Content, before), err
}

// withLineEnds returns a text with the line ends of the file before, or with those that were given for a new file.
func withLineEnds(text, given string, before []byte) string {
	if before != nil {
		given = string(before)
	}
	if at := strings.IndexByte(given, '\n'); at > 0 && given[at-1] == '\r' {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// unixContent is content with \n at the end of each line, which before has too.
func (s *Service) unixContent(w PageWrite, before string) (string, error) {
	text := strings.ReplaceAll(w.Content, "\r\n", "\n")
	switch {
	case len(text) > maxText:
		return "", sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the page has %d bytes; the limit is %d", len(text), maxText).WithHint("make several pages of it")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0) || strings.TrimSpace(text) == "":
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the page is empty, or no text in UTF-8").WithHint("write markdown")
	}
	if err := s.clean(text); err != nil {
		return "", err
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	front, rest := split(text)
	if front == "" {
		if front, _ = split(before); front == "" && !w.Actor.Person() {
			front = fmt.Sprintf("---\norigin: agent\nsource: %s\nreviewed: false\n---\n", quoted(w.Actor.Name()))
		}
		return front + rest, nil
	}
	if w.Actor.Person() {
		return text, nil
	}
	var says struct {
		Reviewed bool   `yaml:"reviewed"`
		Origin   string `yaml:"origin"`
	}
	if err := yaml.Unmarshal([]byte(strings.Trim(front, "-\n")), &says); err != nil {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the frontmatter cannot be read: %w", err).WithHint("write it as YAML between two lines ---, or leave it out")
	}
	if says.Reviewed || cmp.Or(says.Origin, "agent") != "agent" {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "only a person says that a page is reviewed, or that it is no agent's").WithHint("leave reviewed and origin out")
	}
	return text, nil
}

// clean refuses a text that has secrets. Errors: KindInvalid.
func (s *Service) clean(text string) error {
	_, secrets, err := s.Redacted(text)
	if err == nil && secrets > 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the text has %d secrets in it", secrets).WithHint("leave passwords, tokens and keys out")
	}
	return err
}

// split cuts the frontmatter off, with its lines; "" = there is none.
func split(text string) (front, rest string) {
	if !strings.HasPrefix(text, "---\n") {
		return "", text
	}
	end := strings.Index(text[3:], "\n---\n")
	if end < 0 {
		return "", text
	}
	end += 3 + len("\n---\n")
	return text[:end], text[end:]
}

func body(text string) string {
	_, rest := split(text)
	return rest
}

func quoted(text string) string {
	out, err := yaml.Marshal(text)
	if err != nil {
		panic(err) // a text always encodes
	}
	return strings.TrimSpace(string(out))
}

// firstLine is the first line of a text that says something, without the marks of a heading.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimLeft(line, "# ")); line != "" {
			if r := []rune(line); len(r) > maxSays {
				return string(r[:maxSays-1]) + "…"
			}
			return line
		}
	}
	return ""
}

// PageHistory lists the revisions of a page, the latest first.
// Errors: KindNotFound for a page that never existed.
func (s *Service) PageHistory(ctx context.Context, key string) ([]PageVersion, error) {
	all, err := s.revisions(ctx, key)
	if err != nil {
		return nil, err
	}
	out := make([]PageVersion, len(all))
	for i, r := range all {
		v := PageVersion{N: i + 1, At: r.At, Origin: string(r.Origin), Change: r.Change, Bytes: r.Bytes}
		if r.Hash != (change.Hash{}) {
			v.Hash = hex.EncodeToString(r.Hash[:])
		}
		if r.Change != "" {
			c, err := s.Engine.Get(ctx, string(r.Change))
			if err != nil && sdk.KindOf(err) != sdk.KindNotFound {
				return nil, err
			}
			if err == nil {
				v.By = c.By.Name()
			}
		}
		out[len(all)-1-i] = v
	}
	return out, nil
}

// revisions returns those of a page, the oldest first.
func (s *Service) revisions(ctx context.Context, key string) ([]change.Revision, error) {
	path, err := s.pagePath(ctx, strings.TrimSuffix(key, ".md"))
	if err != nil {
		return nil, err
	}
	all, err := s.Engine.Revisions(ctx, path)
	if err == nil && len(all) == 0 {
		_, err = s.wikiPage(ctx, key)
	}
	return all, err
}

// wikiPage tells which page is meant by a key that is none.
func (s *Service) wikiPage(ctx context.Context, key string) (string, error) {
	pages, err := s.Wiki.View(ctx)
	if err != nil {
		return "", err
	}
	p, err := pages.Page(key)
	if err != nil {
		return "", err
	}
	return p.Key, nil
}

// PageVersionText returns the content of a revision.
// Errors: KindNotFound.
func (s *Service) PageVersionText(ctx context.Context, key string, n int) (string, error) {
	all, err := s.revisions(ctx, key)
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(all) {
		return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "page %s has %s and no revision %d", key, textkit.Count(len(all), "revision"), n).WithHint("loam wiki history %s lists them", key)
	}
	if all[n-1].Hash == (change.Hash{}) {
		return "", nil
	}
	content, err := s.Engine.ContentOf(ctx, &all[n-1])
	return string(content), err
}

// RevertPage restores a revision of a page.
// Errors: those of RevertPageFrom but for another version.
func (s *Service) RevertPage(ctx context.Context, key string, n int, by change.Actor, dryRun bool) (*Decided, error) {
	_, base, err := s.PageFile(ctx, strings.TrimSuffix(key, ".md"))
	if err != nil {
		return nil, err
	}
	return s.RevertPageFrom(ctx, key, n, PageWrite{Base: base, Actor: by, DryRun: dryRun})
}

// RevertPageFrom restores a revision of a page that has the hash Base of w, whose Actor and DryRun count.
// Errors: those of PageVersionText and WritePage; KindInvalid for a revision in which there was no page.
func (s *Service) RevertPageFrom(ctx context.Context, key string, n int, w PageWrite) (*Decided, error) {
	text, err := s.PageVersionText(ctx, key, n)
	if err != nil {
		return nil, err
	}
	if text == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "in revision %d there was no page %s", n, key).WithHint("choose another one: loam wiki history %s", key)
	}
	w.Key, w.Content = key, text
	return s.WritePage(ctx, w)
}

// maxPageChanges is how many changes of a page are listed.
const maxPageChanges = 200

// PageChanges returns the changes of a page's file, named by its path below the project's folder, that wait for a
// person, or that were written and not taken back; the latest first, at most 200.
func (s *Service) PageChanges(ctx context.Context, path string) ([]change.Change, error) {
	if !s.began() {
		return nil, nil
	}
	list, err := s.Engine.List(ctx, change.Filter{
		States: []change.State{change.Pending, change.Draft, change.Applied}, Path: path, Limit: maxPageChanges,
	})
	if err != nil {
		return nil, err
	}
	var open []change.Change
	for i := range list.Changes {
		switch err := s.seen(ctx, &list.Changes[i]); {
		case err == nil:
			open = append(open, list.Changes[i])
		case sdk.KindOf(err) != sdk.KindNotFound:
			return nil, err
		}
	}
	return open, nil
}
