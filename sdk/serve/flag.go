package serve

import (
	"errors"
	"flag"
	"fmt"
)

// errUsage ends a command whose command line was wrong, errHelp one that was
// asked for help; both after saying what there is to say.
var (
	errUsage = errors.New("usage")
	errHelp  = errors.New("help")
)

// parse reads a command's flags and wants a number of arguments behind them.
func (p *program) parse(name string, define func(*flag.FlagSet), args []string, want int) error {
	_, err := p.arguments(name, define, args, want)
	return err
}

func (p *program) arguments(name string, define func(*flag.FlagSet), args []string, want int) ([]string, error) {
	flags := flag.NewFlagSet(p.name+" "+name, flag.ContinueOnError)
	flags.SetOutput(p.stderr)
	if define != nil {
		define(flags)
	}
	flags.Usage = func() { p.usage(name, flags) }
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, errHelp
	} else if err != nil {
		return nil, errUsage // flag has said what
	}
	if flags.NArg() != want {
		p.complain("%s: %d arguments, want %d\n", flags.Name(), flags.NArg(), want)
		p.usage(name, flags)
		return nil, errUsage
	}
	return flags.Args(), nil
}

func (p *program) usage(name string, flags *flag.FlagSet) {
	for _, c := range commands() {
		if c.name == name {
			_, _ = fmt.Fprintf(p.stderr, "%s: %s\n  example: %s %s\n", name, c.help, p.name, c.example)
		}
	}
	flags.PrintDefaults()
}
