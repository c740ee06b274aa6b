package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownWords are words of our own that have replaced the field's terms before, by the folder where they must not come
// back.
var ownWords = map[string]string{
	"netio/ofi": "sentry nap snooze doze relieve hungry fed starved surrender heed stir doubt suspect leftovers",
	"netio/tcp": "mute tired blindfold stranded lookouts aside",
	"internal":  "guest plea hire sighting deserters patience weigh pour intent hurry employ admit crowded",
	"target":    "sighting weigh intent employ admit crowded",
	"task":      "plea pleas employ admit",
	"coalesce":  "pour",
	"memory":    "plea hire",
}

// The field's terms are used where they exist.
func TestWordsAreTheFields(t *testing.T) {
	for folder, words := range ownWords {
		for _, name := range below(t, folder, ".go") {
			there := wordsOf(read(t, name))
			for _, w := range strings.Fields(words) {
				assert.False(t, there[w], "%s has the word %q", name, w)
			}
		}
	}
}

// One word stands for one thing: a message that has left and has not arrived is in flight, and a call that has not
// returned in progress.
func TestOnePhraseForOneThing(t *testing.T) {
	for _, folder := range strings.Fields("coalesce delegate docs internal memory netio pebble target task termination") {
		for _, name := range below(t, folder, "") {
			assert.NotContains(t, read(t, name), "under way", name)
		}
	}
}

// below returns the files of a folder with an ending, except tests of words.
func below(t *testing.T, folder, ending string) (all []string) {
	t.Helper()
	for _, name := range files(t, ending) {
		if strings.HasPrefix(name, folder+"/") && !strings.HasSuffix(name, "words_test.go") {
			all = append(all, name)
		}
	}
	require.NotEmpty(t, all, folder)
	return all
}

func TestWordsOfSource(t *testing.T) {
	require.Equal(t, map[string]bool{"hungry": true, "link": true, "x": true, "a": true, "nap": true},
		wordsOf("hungryLink.X // a Nap"))
}

// parts matches the words of a composed name.
var parts = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

func wordsOf(source string) map[string]bool {
	all := map[string]bool{}
	for _, w := range parts.FindAllString(source, -1) {
		all[strings.ToLower(w)] = true
	}
	return all
}
