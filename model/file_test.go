package model_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
)

func TestFileComesBack(t *testing.T) {
	f := model.File{
		Format: model.FileFormat, Machine: "a machine", Date: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		Parameters: round(),
		Measured: map[string]model.Measured{"process": {Transport: "mem", Spread: model.Link{Gap: 0.5},
			Residual: 0.01, Frames: 7}},
		Applications: map[string]model.Application{"randomaccess --log2-words=20": {Send: 1e-9, Handle: 2e-9,
			Spread: 0.1}},
	}
	f.Parameters.Cores = model.Cores{Count: 2, Switch: 1e-7, ProcessSwitch: 3e-6, Slice: 2e-3}
	f.Parameters.Network.EndPerByte, f.Parameters.Network.Batch = 1e-10, 5e-6
	text, err := f.Encode()
	require.NoError(t, err)
	back, err := model.DecodeFile(text)
	require.NoError(t, err)
	require.Equal(t, f, back)
}

func TestFileRefuses(t *testing.T) {
	f := model.File{Parameters: round()}
	text, err := f.Encode()
	require.NoError(t, err)
	for says, spoiled := range map[string]string{
		"not a file of parameters": "hello",
		"give one that":            `{"app": "randomaccess"}`,
		"format 99":                strings.Replace(string(text), `"format": 1`, `"format": 99`, 1),
		"damaged":                  strings.Replace(string(text), `"interfaces": 0`, `"interfaces": "none"`, 1),
		"unknown field":            strings.Replace(string(text), `"latency"`, `"lateness"`, 1),
		"latency is -1":            strings.Replace(string(text), `"latency": 100`, `"latency": -1`, 1),
		"no parameters":            `{"format": 1}`,
	} {
		_, err := model.DecodeFile([]byte(spoiled))
		require.ErrorContains(t, err, says)
	}
	for says, spoil := range map[string]func(*model.File){
		"-1 cores":        func(f *model.File) { f.Parameters.Cores.Count = -1 },
		"switch is -1":    func(f *model.File) { f.Parameters.Cores.Switch = -1 },
		"batch is -1":     func(f *model.File) { f.Parameters.Host.Batch = -1 },
		`application "a"`: func(f *model.File) { f.Applications = map[string]model.Application{"a": {Handle: -1}} },
	} {
		spoiled := f
		spoil(&spoiled)
		_, err = spoiled.Encode()
		require.ErrorContains(t, err, says)
	}
	f.Parameters.Pebble.Send = -1
	_, err = f.Encode()
	require.ErrorContains(t, err, "send is -1")
}

// FuzzDecodeFile checks that any input is refused with an error or is sound.
func FuzzDecodeFile(f *testing.F) {
	text, err := model.File{Parameters: round()}.Encode()
	require.NoError(f, err)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := model.DecodeFile(text)
		if err == nil {
			require.NoError(t, file.Parameters.Check())
		}
	})
}

func TestNamed(t *testing.T) {
	for _, name := range model.Names() {
		p, err := model.ByName(name)
		require.NoError(t, err)
		require.NoError(t, p.Check())
	}
	_, err := model.ByName("nosuch")
	require.ErrorContains(t, err, "bluegene-q, odin")
	// TRAM, section IV.B: streams of 16 KB come near the bandwidth of Blue Gene/Q, those below 2 KB stay under 10 %.
	l := model.BlueGeneQ.Network
	part := func(bytes float64) float64 { return bytes * l.PerByte / (bytes*l.PerByte + l.Interval()) }
	require.Less(t, part(1024), 0.1)
	require.Greater(t, part(16<<10), 0.6)
	require.Equal(t, l, model.BlueGeneQ.Over(model.Network).Host)
}
