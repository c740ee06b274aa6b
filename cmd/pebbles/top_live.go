package main

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// live joins a screen and a terminal. It is used by one goroutine at a time.
type live struct {
	ctx    context.Context
	screen *screen
	see    func(context.Context) (*sighting, error)
	over   error // why it has ended; nil when the user has ended it
}

var _ tea.Model = (*live)(nil)

// The messages besides the terminal's.
type (
	lookMsg struct{} // it is time to look at the job
	seenMsg struct { // it has been looked at
		at       time.Time
		sighting *sighting
		err      error
	}
)

// Init implements [tea.Model].
func (l *live) Init() tea.Cmd { return l.look }

// look looks at the job, beside the terminal.
func (l *live) look() tea.Msg {
	s, err := l.see(l.ctx)
	return seenMsg{time.Now(), s, err}
}

// Update implements [tea.Model].
func (l *live) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	switch m := m.(type) {
	case tea.WindowSizeMsg:
		l.screen.resize(m.Width, m.Height)
	case tea.KeyPressMsg:
		return l, l.press(m.String())
	case lookMsg:
		return l, l.look
	case seenMsg:
		return l, l.saw(m)
	}
	return l, nil
}

func (l *live) press(key string) tea.Cmd {
	switch key {
	case "q", "esc", "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	}
	l.screen.press(key)
	return nil
}

// saw takes what a look has found, and looks again later.
func (l *live) saw(m seenMsg) tea.Cmd {
	if m.err == nil {
		l.screen.show(m.at, m.sighting)
	} else if l.over = l.screen.miss(m.at, m.err); l.over != nil {
		return tea.Quit
	}
	return tea.Tick(between, func(time.Time) tea.Msg { return lookMsg{} })
}

// View implements [tea.Model].
func (l *live) View() tea.View {
	v := tea.NewView(strings.Join(l.screen.lines(), "\n"))
	v.AltScreen = true
	return v
}
