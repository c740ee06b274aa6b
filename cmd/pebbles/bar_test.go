package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBarIsPatient(t *testing.T) {
	var screen bytes.Buffer
	b := &bar{to: &screen, title: "work", started: time.Now().Add(time.Hour)}
	b.draw(1, 2)
	b.clear()
	require.Empty(t, screen.String())
}

func TestBarDraws(t *testing.T) {
	var screen bytes.Buffer
	b := &bar{to: &screen, title: "work"}
	b.draw(1, 4)
	require.Contains(t, screen.String(), "work")
	require.Contains(t, screen.String(), "(1/4")
	b.draw(1, 8) // the next phase
	b.clear()
	require.True(t, strings.HasSuffix(screen.String(), "\r"), "%q", screen.String())
}
