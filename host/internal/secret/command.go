package secret

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// waitDelay is how long a grandchild may hold the output open once the program
// itself has ended or was killed.
const waitDelay = time.Second

// fromCommand runs a program without a shell, with no input, in the project
// folder and with the resolver's environment. What it writes to standard error is
// dropped: it may hold the secret.
func (r *Resolver) fromCommand(ctx context.Context, ref Reference) (string, error) {
	argv, err := ref.Words()
	if err != nil {
		return "", ref.fail(sdk.KindInvalid, "%v", err).WithHint("correct the command in loam.yaml")
	}
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	output := &limitedBuffer{limit: maxBytes}
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = r.dir, append([]string{}, r.env...) // nil would be all of the host's
	cmd.Stdout = output
	cmd.WaitDelay = waitDelay
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", sdk.AsError(ctx.Err(), sdk.SourceHost)
	case limited.Err() != nil:
		return "", ref.fail(sdk.KindTimeout, "the program did not end within %s", r.timeout).
			WithHint("unlock the password manager, or use a program that needs no answer")
	case output.full:
		return "", ref.fail(sdk.KindLimit, "the program printed more than 1 MiB").WithHint("print the secret and nothing else")
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "", ref.fail(sdk.KindNotFound, "there is no such program").WithHint("install it, or write its full path in loam.yaml")
	case errors.Is(err, fs.ErrPermission):
		return "", ref.fail(sdk.KindDenied, "the program may not be run").WithHint("make it executable, or correct the command in loam.yaml")
	case err != nil:
		return "", ref.fail(sdk.KindUnavailable, "the program failed: %v", err).
			WithHint("run the command in a terminal to see why")
	}
	return strings.TrimRight(output.text.String(), "\r\n"), nil
}

// limitedBuffer keeps the first bytes and refuses the rest, which ends the
// program with a broken pipe.
type limitedBuffer struct {
	text  bytes.Buffer
	limit int
	full  bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > b.limit {
		b.full = true
		return 0, errTooLarge
	}
	return b.text.Write(p)
}

var errQuote = errors.New("a quote is not closed")

// split cuts a command into words: white space separates, '…' is literal, in
// "…" and outside a backslash takes the next character literally. No variable,
// no glob, no pipe.
func split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, escaped, quote := false, false, rune(0)
	for _, c := range command {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			inWord, escaped = true, true
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			inWord, quote = true, c
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inWord {
				words = append(words, word.String())
			}
			inWord = false
			word.Reset()
		default:
			inWord = true
			word.WriteRune(c)
		}
	}
	if quote != 0 || escaped {
		return nil, errQuote
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("there is no program to run")
	}
	return words, nil
}
