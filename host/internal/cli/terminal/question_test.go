package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	q := NewQuestions(strings.NewReader(" 5432 \r\n\nYes\nno\npartial"), &out, func() (string, error) { return " hush ", nil })
	if text, err := q.Ask(t.Context(), "port: "); text != "5432" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if value, err := q.AskUnseen(t.Context(), "password: "); value.Reveal() != " hush " || err != nil {
		t.Errorf("%q, %v", value.Reveal(), err)
	}
	for _, want := range []bool{true, true, false} { // nothing, Yes, no
		if yes, err := q.Confirm(t.Context(), "Add it?", true); yes != want || err != nil {
			t.Errorf("%t, %v, want %t", yes, err, want)
		}
	}
	if yes, err := q.Confirm(t.Context(), "Add it?", true); yes || sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("a line without an end is an answer: %t, %v", yes, err)
	}
	want := "port: password: \nAdd it? [Y/n] Add it? [Y/n] Add it? [Y/n] Add it? [Y/n] \n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// A question ends with its context, and shows again what is typed.
func TestQuestionCanceled(t *testing.T) {
	t.Parallel()
	in, typed := io.Pipe()
	defer typed.Close()
	restored := 0
	ctx, cancel := context.WithCancel(t.Context())
	q := NewQuestions(in, io.Discard, func() (string, error) {
		cancel()
		_, err := in.Read(make([]byte, 1))
		return "", err
	})
	q.restore = func() { restored++ }
	if value, err := q.AskUnseen(ctx, "password: "); !value.IsZero() || sdk.KindOf(err) != sdk.KindCanceled || restored != 1 {
		t.Errorf("%v, restored %d times", err, restored)
	}
}

func TestQuestionUnreadable(t *testing.T) {
	t.Parallel()
	q := NewQuestions(strings.NewReader(""), io.Discard, func() (string, error) { return "", errors.New("lost") })
	if _, err := q.AskUnseen(t.Context(), "password: "); sdk.KindOf(err) != sdk.KindUnavailable || !strings.Contains(err.Error(), "lost") {
		t.Error(err)
	}
}
