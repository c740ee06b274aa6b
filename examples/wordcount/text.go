package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

//go:embed text.txt
var builtIn string

// eachLine calls do for every line of all files, or of the built-in text when there are none, numbered from 0.
func eachLine(files []string, do func(number int, line string)) error {
	if len(files) == 0 {
		_, err := lines(strings.NewReader(builtIn), 0, do)
		return err
	}
	number := 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("open text: %w", err)
		}
		number, err = lines(f, number, do)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("read text: %w", err)
		}
	}
	return nil
}

// lines calls do for every line that r has, and returns the number of the next one.
func lines(r io.Reader, number int, do func(number int, line string)) (next int, err error) {
	for in := bufio.NewReader(r); ; number++ {
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return number, err
		}
		if line != "" {
			do(number, line)
		}
		if err != nil {
			return number + 1, nil
		}
	}
}

// split returns the words of a line in lower case. A word is made of letters and digits.
func split(line string) []string {
	return strings.FieldsFunc(strings.ToLower(line), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}
