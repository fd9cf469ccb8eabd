package memory

import (
	"context"
	"path"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// ReplacePage replaces a whole wiki page. The change waits unless the page is new or Loam's own.
// Errors: those of WritePage; KindDenied for a page about connections that the caller cannot see.
func (s *Service) ReplacePage(ctx context.Context, c Call, w PageWrite) (*Suggested, error) {
	w.Key, w.Actor = strings.TrimSuffix(w.Key, ".md"), c.Actor
	arguments := []string{w.Key, w.Content, w.Base}
	return s.submit(ctx, "wiki_write", c, arguments, func(ctx context.Context, sub *submission) ([]change.Proposal, error) {
		at, err := s.pagePath(ctx, w.Key)
		if err != nil {
			return nil, err
		}
		if sub.view.hidden[at] {
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the page %s is not open to you", w.Key).WithHint("use another key")
		}
		p, err := s.pageProposal(ctx, w)
		if err != nil || p.Blocks == nil {
			return nil, err
		}
		return []change.Proposal{*p}, nil
	})
}

// SourceWrite replaces a file of the semantic layer.
type SourceWrite struct {
	Name    string // of the file, without .yaml
	Content string // YAML
	// Base is the hash of the file that was edited, in hexadecimal; "" = the file is new.
	Base string
}

var sourceName = text.Pattern(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

// ReplaceSource replaces a whole file of the semantic layer. The change waits unless the file is Loam's own and still
// has the hash Base.
// Errors: KindInvalid for an invalid name or content, with its problems; KindConflict with both versions; KindLimit;
// those of submit.
func (s *Service) ReplaceSource(ctx context.Context, c Call, w SourceWrite) (*Suggested, error) {
	w.Name = strings.TrimSuffix(w.Name, ".yaml")
	if !sourceName().MatchString(w.Name) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "that is no name of a source's file").WithHint("use letters, digits, _, - and ., at most 100")
	}
	if c.Connection == "" {
		return nil, noConnection()
	}
	text := strings.ReplaceAll(w.Content, "\r\n", "\n")
	if len(text) > maxText {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the source has %d bytes; the limit is %d", len(text), maxText).WithHint("leave out what the scan knows")
	}
	if err := s.checked(given{"content", text, maxText, true}); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := soundSource(w.Name, text); err != nil {
		return nil, err
	}
	return s.submit(ctx, "sl_write_source", c, w, func(ctx context.Context, sub *submission) ([]change.Proposal, error) {
		at := path.Join("semantic-layer", c.Connection, w.Name+".yaml")
		before, err := s.Engine.Read(at)
		if err != nil {
			return nil, err
		}
		text := withLineEnds(text, w.Content, before)
		if before != nil && string(before) == text {
			return nil, nil
		}
		if err := editedMeanwhile("file "+at, hashText(before), w.Base); err != nil {
			return nil, err
		}
		p := change.Proposal{
			Kind: change.Source, Target: w.Name, Path: at, Blocks: []change.Block{{Place: form.WholeFile, Before: string(before), After: text}},
			Says: "the source " + w.Name, Value: hashText(before) + ":" + hexHash([]byte(text)),
		}
		own, err := s.Engine.Own(ctx, at, before)
		if err == nil && !own {
			p.Why = []string{change.WhyPolicy}
		}
		return []change.Proposal{p}, err
	})
}

// soundSource refuses a content that the semantic layer cannot read. Errors: KindInvalid.
func soundSource(name, text string) error {
	f := model.Parse(name+".yaml", []byte(text))
	if len(f.Problems) == 0 {
		return nil
	}
	first := f.Problems[0]
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the source has %d problems; line %d: %s", len(f.Problems), first.Line, first.Msg)
	return e.WithHint("mend it as the schema of semantic sources says: docs/semantic.md")
}

func noConnection() error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no connection is named").WithHint("give connectionId; connection_list names them")
}
