package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() { lab.Program("scale", command) }

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	program := flags.String("program", "built/pebbles", "the command")
	app := flags.String("app", "randomaccess --log2-words 4", "the application and its flags")
	sizes := flags.String("ranks", "16,256,4096,65536", "how many ranks, powers of two")
	page := flags.String("page", "", "put the table into this page, between its comments, and plots beside it; default is to print the table")
	if err := flags.Parse(args); err != nil {
		return lab.UsageError{Err: err}
	}
	var runs []run
	for _, text := range strings.Split(*sizes, ",") {
		ranks, err := strconv.Atoi(text)
		if err != nil || ranks < 2 || ranks&(ranks-1) != 0 {
			return lab.UsageError{Err: fmt.Errorf("-ranks %s: the formulas are for powers of two, such as 16,256", *sizes)}
		}
		fmt.Fprintf(stderr, "%d ranks\n", ranks)
		r, err := simulate(ctx, *program, strings.Fields(*app), ranks)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	text := table(*app, runs)
	if *page == "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	files, err := plots.Write(filepath.Join(filepath.Dir(*page), "plots"), curves(runs))
	if err != nil {
		return err
	}
	for _, name := range curveNames {
		for _, file := range files[name] {
			text += fmt.Sprintf("\n![%s](plots/%s)\n", name, filepath.Base(file))
		}
	}
	return lab.WriteSection(*page, "scale", text)
}
