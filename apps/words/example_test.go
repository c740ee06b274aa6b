package words_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/words"
	"github.com/activepebbles/pebbles/pebble"
)

// Four ranks count a text that is made up.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		result, err := words.Run(r, words.Config{Bytes: 10_000, Vocabulary: 100, Top: 2})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Words, result.Distinct, result.Top, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4537 100 [{e 1101} {t 483}] 0
	// <nil>
}
